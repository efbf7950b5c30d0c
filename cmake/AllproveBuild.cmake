# How a layer and a program are declared, and the rule that no source file is forgotten.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Programs sit together, so that the driver finds its workers beside itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# "address,undefined" or "thread": given to every compile and link of ours.
set(ALLPROVE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(ALLPROVE_SANITIZE)
  add_compile_options(-fsanitize=${ALLPROVE_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ALLPROVE_SANITIZE})
endif()

# Every source that a target has is one that was not forgotten.
function(allprove_mark_listed)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY ALLPROVE_LISTED_SOURCES "${source}")
  endforeach()
endfunction()

function(_allprove_common target)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wno-sign-conversion)
  if(ALLPROVE_WERROR)
    target_compile_options(${target} PRIVATE -Werror -Wno-error=invalid-pch)
  endif()
  get_target_property(sources ${target} SOURCES)
  allprove_mark_listed(${sources})
endfunction()

# allprove_layer(NAME SOURCES a.cpp ... [DEPENDS targets...] [PCH <headers>...]):
# the library `allprove_NAME`. PCH precompiles heavy headers that most of its sources include.
function(allprove_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PCH")
  add_library(allprove_${name} STATIC ${arg_SOURCES})
  target_link_libraries(allprove_${name} PUBLIC ${arg_DEPENDS})
  if(arg_PCH)
    target_precompile_headers(allprove_${name} PRIVATE ${arg_PCH})
  endif()
  _allprove_common(allprove_${name})
endfunction()

# allprove_program(NAME SOURCES a.cpp ... [DEPENDS targets...] [PCH <headers>...]):
# an executable in bin/.
function(allprove_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PCH")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
  if(arg_PCH)
    target_precompile_headers(${name} PRIVATE ${arg_PCH})
  endif()
  _allprove_common(${name})
endfunction()

# Fails configure when a source file of the tree is in no target. The files of a backend that is
# not built here are announced with allprove_mark_listed().
function(allprove_check_all_sources_listed)
  get_property(listed GLOBAL PROPERTY ALLPROVE_LISTED_SOURCES)
  set(folders framework properties faults backends cli)
  if(ALLPROVE_BUILD_TESTS)
    list(APPEND folders tests)
  endif()
  set(forgotten "")
  foreach(folder IN LISTS folders)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp"
         "${PROJECT_SOURCE_DIR}/${folder}/*.c")
    foreach(source IN LISTS found)
      if(NOT source IN_LIST listed)
        string(APPEND forgotten "\n  ${source}")
      endif()
    endforeach()
  endforeach()
  if(forgotten)
    if(ALLPROVE_ALLOW_UNLISTED)
      set(severity WARNING)
    else()
      set(severity FATAL_ERROR)
    endif()
    message(${severity} "in no target (list it in its folder's CMakeLists.txt):${forgotten}")
  endif()
endfunction()
