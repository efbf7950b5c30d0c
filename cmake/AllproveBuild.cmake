# How a layer, an executable and a test are declared, and the rule that no source file is forgotten.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Programs sit together, so that the driver finds its workers beside itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

function(_allprove_common target)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wno-sign-conversion)
  if(ALLPROVE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY ALLPROVE_LISTED_SOURCES "${source}")
  endforeach()
endfunction()

# allprove_layer(NAME SOURCES a.cpp ... [DEPENDS targets...]): the library `allprove_NAME`.
function(allprove_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_library(allprove_${name} STATIC ${arg_SOURCES})
  target_link_libraries(allprove_${name} PUBLIC ${arg_DEPENDS})
  _allprove_common(allprove_${name})
endfunction()

# allprove_program(NAME SOURCES a.cpp ... [DEPENDS targets...]): an executable in bin/.
function(allprove_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
  _allprove_common(${name})
endfunction()

# Fails configure when a source file of the tree is in no target. Files of a backend that is not
# built here are announced with allprove_sources_not_built().
function(allprove_sources_not_built)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY ALLPROVE_LISTED_SOURCES "${source}")
  endforeach()
endfunction()

function(allprove_check_all_sources_listed)
  get_property(listed GLOBAL PROPERTY ALLPROVE_LISTED_SOURCES)
  set(folders framework properties faults backends cli)
  if(ALLPROVE_BUILD_TESTS)
    list(APPEND folders tests)
  endif()
  foreach(folder IN LISTS folders)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp"
         "${PROJECT_SOURCE_DIR}/${folder}/*.c")
    foreach(source IN LISTS found)
      if(NOT source IN_LIST listed)
        message(FATAL_ERROR "${source} is in no target: list it in its folder's CMakeLists.txt")
      endif()
    endforeach()
  endforeach()
endfunction()
