#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem.h"

namespace bench {

// What the rows of one layer must be once append has run, worked out on the host from
// original_value(), what a new token's row is and the definition of the format alone.
class ExpectedRows {
 public:
  // Of the rows that rank `rank` holds.
  ExpectedRows(const Problem& problem, PoolFormat format, int layer, int rank);

  // The bytes that the token's slot must hold.
  [[nodiscard]] std::vector<std::byte> bytes(std::int64_t request, std::int64_t token) const;
  // The numbers that those bytes stand for, and those that the model meant ([row_dim], in units
  // of k_scale).
  void stored(std::int64_t request, std::int64_t token, std::span<double> row) const;
  void original(std::int64_t request, std::int64_t token, std::span<double> row) const;

  // A row of another seed: what a slot may have held before.
  [[nodiscard]] std::vector<std::byte> stale_bytes(std::int64_t slot) const;

 private:
  [[nodiscard]] std::vector<float> values(std::int64_t request, std::int64_t token) const;
  [[nodiscard]] std::vector<std::byte> encode(const std::vector<float>& values) const;

  const Problem& problem_;
  PoolFormat format_;
  int layer_;
  std::uint64_t seed_;
};

// Copies `count` values from a device.
template <typename T>
std::vector<T> download(Device& device, const T* from, std::int64_t count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  device.download(std::as_writable_bytes(std::span(host)), from);
  return host;
}

}  // namespace bench
