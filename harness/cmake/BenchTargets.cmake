# The only place with compiler flags, and the functions every folder uses.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
option(BENCH_UNITY "Compile several sources at once: quicker, but a missing #include goes unseen" OFF)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
if(BENCH_UNITY)
  add_compile_options(-Wno-subobject-linkage)  # a source looks like a header then
endif()
set(BENCH_SANITIZE "" CACHE STRING "Sanitizers to build with, comma separated")

add_library(bench_options INTERFACE)
target_include_directories(bench_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(bench_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror>)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options(-Wno-unknown-warning-option)  # most of what is switched off is g++'s
endif()
if(BENCH_SANITIZE)
  # g++ 12 sees uninitialised members in <regex> once sanitizers are on (GCC bug 105562).
  target_compile_options(bench_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  target_compile_options(bench_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${BENCH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1>)
  target_link_options(bench_options INTERFACE -fsanitize=${BENCH_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

# bench_library(<folder> [OBJECT] [OPTIMISED] [UNITY] SOURCES <files> [DEPENDS <targets>])
# One library a folder, named bench_<folder>. OBJECT where sources register themselves: from a
# static archive the linker would drop a file that nobody calls by name. UNITY where no two sources
# have a helper of the same name, so that they can be compiled together.
function(bench_library name)
  cmake_parse_arguments(arg "OBJECT;OPTIMISED;UNITY" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT arg_SOURCES)
    add_library(bench_${name} INTERFACE)  # headers only
    target_link_libraries(bench_${name} INTERFACE bench_options ${arg_DEPENDS})
    return()
  endif()
  if(arg_OBJECT)
    add_library(bench_${name} OBJECT ${arg_SOURCES})
  else()
    add_library(bench_${name} STATIC ${arg_SOURCES})
  endif()
  target_link_libraries(bench_${name} PUBLIC bench_options ${arg_DEPENDS})
  if(BENCH_UNITY AND arg_UNITY)
    set_target_properties(bench_${name} PROPERTIES UNITY_BUILD ON)
  endif()
  if(BENCH_SANITIZE AND arg_OPTIMISED)
    target_compile_options(bench_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
endfunction()
