# Finds NCCL: under NCCL_ROOT, in a system path, beside the CUDA toolkit, or in a Python wheel
# (nvidia-nccl-cu12, -cu13). Defines NCCL::nccl, NCCL_FOUND, NCCL_VERSION.

# Wheels unpack to <site-packages>/nvidia/nccl/{include,lib}.
set(nccl_wheels)
find_program(NCCL_PYTHON python3)
if(NCCL_PYTHON)
  execute_process(
    COMMAND ${NCCL_PYTHON} -c "import site, sys; print(';'.join(dict.fromkeys(site.getsitepackages() + [site.getusersitepackages()] + sys.path)))"
    OUTPUT_VARIABLE nccl_sites OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  foreach(nccl_site ${nccl_sites})
    list(APPEND nccl_wheels ${nccl_site}/nvidia/nccl)
  endforeach()
endif()

set(nccl_places ${NCCL_ROOT} $ENV{NCCL_ROOT})
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${nccl_places} PATHS ${CUDAToolkit_LIBRARY_ROOT} ${nccl_wheels}
  PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${nccl_places} PATHS ${CUDAToolkit_LIBRARY_ROOT} ${nccl_wheels}
  PATH_SUFFIXES lib lib64)

if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_lines REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+).*" "\\1.\\2.\\3" NCCL_VERSION "${nccl_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES
    IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY NCCL_PYTHON)
