# How a test is declared. Every test has a time limit, and shows as skipped when it skipped.
include_guard()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(ALLPROVE_TEST_TIMEOUT_S 60 CACHE STRING "Time limit of a test that names none")

# Labels a test by the folder it lives in (unit, functional, tidy) and gives it what all tests get.
function(_allprove_test_properties name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${ALLPROVE_TEST_TIMEOUT_S})
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests"
             OUTPUT_VARIABLE folder)
  string(REGEX MATCH "^(unit|functional|tidy)" kind "${folder}")
  set(environment "ALLPROVE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
      "ALLPROVE_SOURCE=${PROJECT_SOURCE_DIR}")
  set_tests_properties(
    ${name}
    PROPERTIES TIMEOUT ${arg_TIMEOUT}
               SKIP_RETURN_CODE 77
               LABELS "${kind};${arg_LABELS}"
               RUN_SERIAL "${arg_SERIAL}"
               ENVIRONMENT "${environment}")
endfunction()

# allprove_test(NAME SOURCES a_test.cpp ... [DEPENDS targets...] [TIMEOUT s] [LABELS ...] [SERIAL]):
# one GoogleTest program, one ctest entry. tests/support/main.cpp gives its exit code: 77 when a
# test skipped and none failed. SERIAL: nothing else runs beside it.
function(allprove_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "SOURCES;DEPENDS;LABELS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE allprove_test_main ${arg_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM allprove_test_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  _allprove_common(${name})
  _allprove_test_options(${name})
  add_test(NAME ${name} COMMAND ${name})
  set(serial "")
  if(arg_SERIAL)
    set(serial SERIAL)
  endif()
  _allprove_test_properties(${name} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} ${serial})
endfunction()

# Tests are compiled once and run for a moment: -O1 halves their build.
function(_allprove_test_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# allprove_command_test(NAME COMMAND program args... [TIMEOUT s] [LABELS ...] [SERIAL]): a test that
# is a script or a run of our own programs; exit 0 passes, 77 skips.
function(allprove_command_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "COMMAND;LABELS")
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set(serial "")
  if(arg_SERIAL)
    set(serial SERIAL)
  endif()
  _allprove_test_properties(${name} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} ${serial})
endfunction()
