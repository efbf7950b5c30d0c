# The list of backends that this build has or lacks, written beside the programs as backends.json,
# where the driver (and `doctor`) reads it.
include_guard()

# allprove_record_backend(NAME [WORKER program] [LIBRARY text] [WHY_NOT text] [GET text]
#                         [EXTRA] [FAMILY name] [MPIRUN path]):
# WORKER: the executable's name in bin/. Without one the backend is not built, and WHY_NOT and GET
# tell why and how to get it. EXTRA: the user named it (ALLPROVE_MPI_EXTRA), so the driver does not
# know it by itself; FAMILY and MPIRUN say how it is launched.
function(allprove_record_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXTRA" "WORKER;LIBRARY;WHY_NOT;GET;FAMILY;MPIRUN" "")
  set(extra false)
  if(arg_EXTRA)
    set(extra true)
  endif()
  set(entry "{}")
  foreach(field IN ITEMS "name;${name}" "worker;${arg_WORKER}" "family;${arg_FAMILY}"
                         "mpirun;${arg_MPIRUN}" "library;${arg_LIBRARY}"
                         "why_not;${arg_WHY_NOT}" "get;${arg_GET}")
    list(POP_FRONT field key)
    string(REPLACE "\\" "\\\\" value "${field}")
    string(REPLACE "\"" "\\\"" value "${value}")
    string(JSON entry SET "${entry}" "${key}" "\"${value}\"")
  endforeach()
  string(JSON entry SET "${entry}" extra ${extra})
  get_property(all GLOBAL PROPERTY ALLPROVE_BACKENDS_JSON)
  if(NOT all)
    set(all "[]")
  endif()
  string(JSON count LENGTH "${all}")
  string(JSON all SET "${all}" ${count} "${entry}")
  set_property(GLOBAL PROPERTY ALLPROVE_BACKENDS_JSON "${all}")
endfunction()

# Called once, after every backend was recorded.
function(allprove_write_backends)
  get_property(all GLOBAL PROPERTY ALLPROVE_BACKENDS_JSON)
  if(NOT all)
    set(all "[]")
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/backends.json" CONTENT
       "{\"backends\": @all@}\n" @ONLY)
endfunction()
