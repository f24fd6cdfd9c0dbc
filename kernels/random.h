#pragma once

#include <cstdint>

namespace bench {

// Counter-based randomness, equal on host and device: word i of a stream depends on (seed, i)
// alone, so any row of any pool can be made again anywhere without holding the pool.
// splitmix64's finaliser (Steele, Lea, Flood 2014). constexpr, so device code may call it
// (nvcc --expt-relaxed-constexpr).
constexpr std::uint64_t hash64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace bench
