#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// An input of an operator, as a profiler records it. A list or scalar has no dims.
struct Tensor {
  std::vector<std::int64_t> dims;
  std::string type;  // "c10::BFloat16"; empty: none

  [[nodiscard]] std::int64_t elements() const;  // 0 without dims; never overflows
  [[nodiscard]] std::int64_t rows() const { return dims.empty() ? 0 : dims.front(); }
  [[nodiscard]] std::int64_t width() const;  // values of a row: all dims but the first
};

// From the raw JSON of "Input Dims" and "Input type"; what cannot be read has no dims.
std::vector<Tensor> read_tensors(std::string_view dims, std::string_view types);

// Bytes of one value, by the names of torch ("c10::BFloat16", "float", "unsigned char"); 0:
// unknown.
std::int64_t bytes_of_type(std::string_view type);

// The short name for people: FP8, BF16, FP32, INT64; as it is where unknown.
std::string short_type(std::string_view type);

}  // namespace bench
