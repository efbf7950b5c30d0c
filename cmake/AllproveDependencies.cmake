# The libraries that the framework stands on; ci/install-deps brings them.
include_guard()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(tl-expected REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
if(ALLPROVE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  pkg_check_modules(gmp REQUIRED IMPORTED_TARGET gmpxx)  # what the oracle is compared with
endif()
