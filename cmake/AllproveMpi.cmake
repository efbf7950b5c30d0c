# One source, many MPIs: a worker is compiled once per MPI found. find_package(MPI) knows a single
# MPI per build tree, so flags come from each MPI's own compiler wrapper.
include_guard()
include(AllproveBackends)

option(ALLPROVE_MPI "Build the MPI backends" ON)
set(ALLPROVE_MPI_EXTRA "" CACHE STRING
    "Further MPIs, as name=/path/to/mpicxx;name2=...: each becomes a backend of that name")

# Keeps what names the MPI (-I -D -L -l -pthread rpath) out of a wrapper's output and leaves the
# distribution's own taste (-O2, -flto, hardening) to us. The C++ bindings are never used.
function(_allprove_mpi_flags words out_include out_compile out_link)
  set(include "")
  set(compile "")
  set(link "")
  set(take_next FALSE)
  foreach(word IN LISTS words)
    if(take_next)
      list(APPEND include "${word}")
      set(take_next FALSE)
    elseif(word STREQUAL "-isystem" OR word STREQUAL "-I")
      set(take_next TRUE)
    elseif(word MATCHES "^-I(.+)")
      list(APPEND include "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-D")
      list(APPEND compile "${word}")
    elseif(word STREQUAL "-pthread")
      list(APPEND compile "${word}")
      list(APPEND link "${word}")
    elseif(word MATCHES "^-l(mpi_cxx|mpicxx|mpichcxx)$")
      continue()
    elseif(word MATCHES "^-L(.+)")
      cmake_path(SET folder NORMALIZE "${CMAKE_MATCH_1}")
      list(APPEND link "-L${folder}")
      if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
        list(APPEND link "-Wl,-rpath,${folder}")
      endif()
    elseif(word MATCHES "^-l" OR word MATCHES "^-Wl,-rpath" OR word MATCHES "^/.+\\.(so|a)$")
      list(APPEND link "${word}")
    endif()
  endforeach()
  set(${out_include} "${include}" PARENT_SCOPE)
  set(${out_compile} "${compile}" PARENT_SCOPE)
  set(${out_link} "${link}" PARENT_SCOPE)
endfunction()

# Asks a wrapper what it would run. Which of the options it knows tells its family: `openmpi`, or
# `mpich`, whose many descendants share its way of starting ranks.
function(_allprove_mpi_ask wrapper out_words out_family)
  set(family openmpi)
  foreach(question IN ITEMS "--showme:compile;--showme:link" "-compile_info;-link_info" "-show")
    set(answer "")
    set(good TRUE)
    foreach(option IN LISTS question)
      execute_process(COMMAND "${wrapper}" ${option} OUTPUT_VARIABLE text RESULT_VARIABLE rc
                      ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE TIMEOUT 20)
      if(NOT rc EQUAL 0)
        set(good FALSE)
        break()
      endif()
      string(APPEND answer " ${text}")
    endforeach()
    if(good)
      separate_arguments(words UNIX_COMMAND "${answer}")
      set(${out_words} "${words}" PARENT_SCOPE)
      set(${out_family} ${family} PARENT_SCOPE)
      return()
    endif()
    set(family mpich)
  endforeach()
  set(${out_words} "" PARENT_SCOPE)
endfunction()

# Adds the target allprove_mpi_NAME with the flags of `wrapper`, or says why not.
function(_allprove_mpi_target name wrapper out_family out_why_not)
  _allprove_mpi_ask("${wrapper}" words family)
  set(${out_family} "${family}" PARENT_SCOPE)
  if(NOT words)
    set(${out_why_not} "${wrapper} does not answer as an MPI compiler wrapper" PARENT_SCOPE)
    return()
  endif()
  _allprove_mpi_flags("${words}" include compile link)
  foreach(folder IN LISTS include)
    if(NOT IS_DIRECTORY "${folder}")  # CMake refuses an imported target with such a folder
      list(REMOVE_ITEM include "${folder}")
    endif()
  endforeach()
  # Imported, so that try_compile sees what it carries.
  add_library(allprove_mpi_${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(allprove_mpi_${name} SYSTEM INTERFACE ${include})
  target_compile_options(allprove_mpi_${name} INTERFACE ${compile})
  target_compile_definitions(allprove_mpi_${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_options(allprove_mpi_${name} INTERFACE "LINKER:--enable-new-dtags")
  target_link_libraries(allprove_mpi_${name} INTERFACE ${link})

  set(probe "${PROJECT_BINARY_DIR}/mpi-probe/${name}.cpp")
  file(CONFIGURE OUTPUT "${probe}" CONTENT
       "#include <mpi.h>\nint main(int c, char** v) { return MPI_Init(&c, &v); }\n")
  # Not checked again while it worked with the flags that the wrapper gives.
  if(NOT ALLPROVE_MPI_LINKS_${name} OR NOT "${ALLPROVE_MPI_PROBED_${name}}" STREQUAL "${words}")
    unset(ALLPROVE_MPI_LINKS_${name} CACHE)
    try_compile(
      ALLPROVE_MPI_LINKS_${name} "${PROJECT_BINARY_DIR}/mpi-probe/${name}" SOURCES "${probe}"
      LINK_LIBRARIES allprove_mpi_${name} OUTPUT_VARIABLE log)
    set(ALLPROVE_MPI_PROBED_${name} "${words}" CACHE INTERNAL "")
    file(WRITE "${PROJECT_BINARY_DIR}/mpi-probe/${name}.log" "${log}")
  endif()
  if(NOT ALLPROVE_MPI_LINKS_${name})
    set(${out_why_not} "a one-line program does not build with ${wrapper}" PARENT_SCOPE)
    return()
  endif()
  set(${out_why_not} "" PARENT_SCOPE)
endfunction()

# allprove_mpi_worker(NAME MPICXX wrapper [LIBRARY text] [GET text] [EXTRA] SOURCES ...
#                     [DEPENDS ...]):
# the program allprove-worker-NAME, built against the MPI behind `wrapper` (a name on the PATH or a
# path), and the backend's line in backends.json. An absent MPI is left out.
function(allprove_mpi_worker name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXTRA" "MPICXX;LIBRARY;GET" "SOURCES;DEPENDS")
  allprove_mark_listed(${arg_SOURCES})
  set(why_not "")
  set(extra "")
  if(arg_EXTRA)
    set(extra EXTRA)
  endif()
  if(NOT ALLPROVE_MPI)
    set(why_not "this build was configured with -DALLPROVE_MPI=OFF")
  else()
    find_program(wrapper "${arg_MPICXX}" NO_CACHE)
    if(wrapper)
      _allprove_mpi_target(${name} "${wrapper}" family why_not)
    else()
      set(why_not "${arg_MPICXX} was not found when allprove was built")
    endif()
  endif()
  if(why_not)
    message(STATUS "backend ${name}: left out (${why_not})")
    allprove_record_backend(${name} LIBRARY "${arg_LIBRARY}" WHY_NOT "${why_not}" GET "${arg_GET}"
                            ${extra})
    return()
  endif()
  message(STATUS "backend ${name}: ${wrapper}")
  allprove_program(allprove-worker-${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS}
                   allprove_mpi_${name})
  target_compile_definitions(allprove-worker-${name} PRIVATE ALLPROVE_BACKEND_NAME="${name}")
  # The launcher that belongs to the wrapper lies beside it.
  cmake_path(REPLACE_FILENAME wrapper mpirun OUTPUT_VARIABLE mpirun)
  if(NOT extra OR NOT EXISTS "${mpirun}")
    set(mpirun "")
  endif()
  allprove_record_backend(${name} WORKER allprove-worker-${name} LIBRARY "${arg_LIBRARY}"
                          FAMILY ${family} MPIRUN "${mpirun}" ${extra})
endfunction()

# The same for every MPI that the user named in ALLPROVE_MPI_EXTRA.
function(allprove_mpi_extra_workers)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;DEPENDS")
  foreach(extra IN LISTS ALLPROVE_MPI_EXTRA)
    if(NOT extra MATCHES "^([a-z][a-z0-9_.-]*)=(/.+)$")
      message(FATAL_ERROR "ALLPROVE_MPI_EXTRA: '${extra}' is not name=/path/to/mpicxx")
    endif()
    allprove_mpi_worker(
      ${CMAKE_MATCH_1} MPICXX "${CMAKE_MATCH_2}" LIBRARY "${CMAKE_MATCH_2}"
      GET "check the path given in ALLPROVE_MPI_EXTRA, then build again" EXTRA
      SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS})
  endforeach()
endfunction()
