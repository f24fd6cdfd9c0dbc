# Run at build time (cmake -P): writes BENCH_OUT from BENCH_IN, touching it only when something
# changed, so that the commit a run records is that of the sources and not of the last configure.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${BENCH_SOURCE}
                OUTPUT_VARIABLE BENCH_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY ${BENCH_SOURCE}
                OUTPUT_VARIABLE changes ERROR_QUIET)
if(BENCH_COMMIT AND changes)
  string(APPEND BENCH_COMMIT "-dirty")
endif()
configure_file(${BENCH_IN} ${BENCH_OUT} @ONLY)
