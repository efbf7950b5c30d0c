# Run by the build (see AllproveVersion.cmake): writes OUTPUT from VERSION and the state of git.
set(COMMIT "unknown")
set(DIRTY false)
find_program(git git)
# The tree's own repository only: a copy unpacked inside somebody else's says "unknown".
if(git AND EXISTS "${SOURCE_DIR}/.git")
  set(ask "${git}" -c safe.directory=* -C "${SOURCE_DIR}")
  execute_process(COMMAND ${ask} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                  RESULT_VARIABLE rc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(rc EQUAL 0)
    set(COMMIT "${commit}")
    execute_process(COMMAND ${ask} --no-optional-locks status --porcelain OUTPUT_VARIABLE changes
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes)
      set(DIRTY true)
    endif()
  endif()
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
