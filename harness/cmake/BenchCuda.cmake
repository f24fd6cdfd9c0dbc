# Finds CUDA and NCCL. Without nvcc the CUDA sources are simply not compiled: what registers itself
# there is then absent, and no C++ file asks.

set(BENCH_CUDA_ARCHITECTURES "80;89;90a;100;120" CACHE STRING "GPU architectures to compile for")
set(BENCH_HAS_CUDA OFF)

if(BENCH_CUDA STREQUAL "AUTO" OR BENCH_CUDA)
  find_program(BENCH_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(BENCH_NVCC)
    set(CMAKE_CUDA_COMPILER ${BENCH_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES ${BENCH_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    # CMake 3.25 does not know nvcc's C++20 flag.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA_STANDARD 20)
    find_package(CUDAToolkit REQUIRED)
    set(BENCH_HAS_CUDA ON)
  elseif(NOT BENCH_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "BENCH_CUDA is ON but nvcc was not found: put it on PATH or set CUDA_HOME")
  endif()
endif()
if(BENCH_HAS_CUDA)
  find_package(NCCL)
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # the C interface is used
find_package(MPI COMPONENTS CXX QUIET)
message(STATUS "bench: CUDA ${BENCH_HAS_CUDA}, NCCL ${NCCL_FOUND}, MPI ${MPI_CXX_FOUND}")
