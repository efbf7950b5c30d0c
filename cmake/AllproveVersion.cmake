# The library allprove_version: what framework/base/version.h declares. Its one generated source is
# looked at in every build, and rewritten only when the version, commit or dirtiness changed.
include_guard()

set(generated "${PROJECT_BINARY_DIR}/generated/version.cpp")
add_custom_target(
  allprove_version_source
  COMMAND
    "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
    "-DOUTPUT=${generated}" -P "${CMAKE_CURRENT_LIST_DIR}/write_version.cmake"
  BYPRODUCTS "${generated}"
  COMMENT "" VERBATIM)
add_library(allprove_version STATIC "${generated}")
add_dependencies(allprove_version allprove_version_source)
target_include_directories(allprove_version PUBLIC "${PROJECT_SOURCE_DIR}")
