#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/device.h"

namespace bench::cuda {

// NCCL's C interface (nccl.h), as far as it is used here. The library is loaded when several GPUs
// first need it, so that one program serves machines with any NCCL, and with none.
struct Nccl {
  struct UniqueId {
    std::array<char, 128> bytes;
  };
  using Comm = void*;
  enum class Type : int { float32 = 7, bfloat16 = 9 };

  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(UniqueId*) = nullptr;
  int (*comm_init_rank)(Comm*, int ranks, UniqueId, int rank) = nullptr;
  int (*comm_destroy)(Comm) = nullptr;
  int (*comm_abort)(Comm) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, Type, int sum, Comm, cudaStream_t) = nullptr;
  int (*send)(const void*, std::size_t, Type, int peer, Comm, cudaStream_t) = nullptr;
  int (*receive)(void*, std::size_t, Type, int peer, Comm, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  const char* (*last_error)(Comm) = nullptr;  // absent before 2.13
  int version = 0;                            // 22703 for 2.27.3

  // Throws Error when there is none, or one too old to be captured into a graph.
  static const Nccl& get();
  void check(int result, const char* what) const;  // throws Error in NCCL's words
};

// "2.27.3"; empty: not there.
std::string nccl_version();

// Why a version cannot serve; empty: it can. Of 0: there is none.
std::string nccl_obstacle(int version);

// The variables of the environment that NCCL heeds, by name. They are honoured and never set.
std::vector<LinkFact> nccl_variables();

}  // namespace bench::cuda
