# Copies the binary, the libraries it needs, and its data. Called by the target `bundle`.
file(REMOVE_RECURSE ${BUNDLE})
file(COPY ${BINARY} DESTINATION ${BUNDLE}/bin)
file(COPY ${SOURCE}/configs DESTINATION ${BUNDLE})
file(COPY ${SOURCE}/workloads/models DESTINATION ${BUNDLE})
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${BINARY}
  RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  POST_EXCLUDE_REGEXES "/(ld-linux[^/]*|lib(c|m|rt|dl|pthread|resolv|nccl|cuda|nvidia-ml))\\.so[.0-9]*$")
foreach(library ${libraries})
  file(COPY ${library} DESTINATION ${BUNDLE}/lib FOLLOW_SYMLINK_CHAIN)
endforeach()
if(missing)
  message(STATUS "left to the target machine: ${missing}")
endif()
