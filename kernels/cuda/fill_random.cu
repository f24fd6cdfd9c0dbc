#include "kernels/cuda/cuda.h"
#include "kernels/cuda/pool_rows.h"
#include "kernels/random.h"

namespace bench::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWords = 4;  // a thread, kThreads apart

__global__ void fill(std::byte* to, std::int64_t bytes, std::uint64_t seed) {
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads * kWords + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    const std::int64_t index = first + i * kThreads;
    const std::uint64_t word = hash64(seed, static_cast<std::uint64_t>(index));
    if ((index + 1) * 8 <= bytes) {
      reinterpret_cast<std::uint64_t*>(to)[index] = word;
    } else {
      for (int byte = 0; index * 8 + byte < bytes; ++byte) {
        to[index * 8 + byte] = static_cast<std::byte>(word >> (8 * byte));
      }
    }
  }
}

}  // namespace

void fill_random(std::byte* to, std::int64_t bytes, std::uint64_t seed, cudaStream_t stream) {
  constexpr std::int64_t kBlock = std::int64_t{kThreads} * kWords * 8;
  if (bytes == 0) return;
  const auto blocks = static_cast<unsigned>((bytes + kBlock - 1) / kBlock);
  fill<<<blocks, kThreads, 0, stream>>>(to, bytes, seed);
  check_launch("fill_random");
}

}  // namespace bench::cuda
