#pragma once

#include <cstdint>

#include "kernels/random.h"
#include "workloads/parameters.h"

namespace bench {

// What one rank has of a step that several share.
//   tensor   its own heads, the same rows as every rank: the latent is replicated
//   replica  requests of its own, nothing in common
//   context  its own part of each request's tokens, the same queries as every rank
struct Part {
  Parallel mode = Parallel::tensor;
  int rank = 0;
  int ranks = 1;

  // A rank's own seed, where it must differ from its neighbours'; rank 0 has the common one.
  static std::uint64_t own_seed(std::uint64_t seed, int rank) {
    constexpr std::uint64_t kRanks = 7ULL << 32;  // a stream that no other purpose draws from
    return rank == 0 ? seed : hash64(seed, kRanks + static_cast<std::uint64_t>(rank));
  }
  [[nodiscard]] std::uint64_t slot_seed(std::uint64_t seed) const {
    return mode == Parallel::replica ? own_seed(seed, rank) : seed;
  }
  // Of the rows that rank `whose` holds.
  [[nodiscard]] std::uint64_t row_seed(std::uint64_t seed, int whose) const {
    return mode == Parallel::tensor ? seed : own_seed(seed, whose);
  }
  [[nodiscard]] std::uint64_t query_seed(std::uint64_t seed) const {
    return mode == Parallel::context ? seed : own_seed(seed, rank);
  }
  // Ranks whose tokens a query of this one sees.
  [[nodiscard]] int sharers() const { return mode == Parallel::context ? ranks : 1; }
};

// [begin, end) of `count` things, dealt out in order to ranks.
struct Share {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};
constexpr Share share_of(std::int64_t count, int rank, int ranks) {
  return {count * rank / ranks, count * (rank + 1) / ranks};
}

}  // namespace bench
