#include "results/trace/tensor.h"

#include <algorithm>
#include <charconv>

#include "results/trace/event.h"

namespace bench {
namespace {

struct TypeName {
  std::string_view name;
  std::int64_t bytes;
  std::string_view shown;
};
constexpr TypeName kTypes[] = {
    {"BFloat16", 2, "BF16"},
    {"bfloat16", 2, "BF16"},
    {"Half", 2, "FP16"},
    {"Float8_e4m3fnuz", 1, "FP8"},
    {"Float8_e4m3fn", 1, "FP8"},
    {"Float8_e5m2fnuz", 1, "FP8 E5M2"},
    {"Float8_e5m2", 1, "FP8 E5M2"},
    {"Float8_e8m0fnu", 1, "E8M0"},
    {"Float4_e2m1fn_x2", 1, "FP4 x 2"},
    {"unsigned char", 1, "UINT8"},
    {"signed char", 1, "INT8"},
    {"float", 4, "FP32"},
    {"double", 8, "FP64"},
    {"long int", 8, "INT64"},
    {"long", 8, "INT64"},
    {"int", 4, "INT32"},
    {"short", 2, "INT16"},
    {"bool", 1, "BOOL"},
};

const TypeName* find_type(std::string_view type) {
  if (type.starts_with("c10::")) type.remove_prefix(5);
  const auto* found = std::ranges::find(kTypes, type, &TypeName::name);
  return found == std::end(kTypes) ? nullptr : found;
}

std::int64_t product(const std::vector<std::int64_t>& dims, std::size_t from) {
  std::int64_t total = 1;
  for (std::size_t i = from; i < dims.size(); ++i) total = times(total, dims[i]);
  return total;
}

// [[1, 6144], [], [[2, 3], [4]]]: of a list of tensors, the first.
std::vector<std::vector<std::int64_t>> read_dims(std::string_view text) {
  std::vector<std::vector<std::int64_t>> all;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[' && ++depth == 2) all.emplace_back();
    if (c == ']') --depth;
    if (c < '0' || c > '9' || depth < 2) continue;
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) return {};
    if (all.back().size() < 16) all.back().push_back(value);
    at = static_cast<std::size_t>(stop - text.data()) - 1;
  }
  return all;
}

}  // namespace

std::int64_t Tensor::elements() const { return dims.empty() ? 0 : product(dims, 0); }

std::int64_t Tensor::width() const { return dims.empty() ? 0 : product(dims, 1); }

std::vector<Tensor> read_tensors(std::string_view dims, std::string_view types) {
  std::vector<Tensor> tensors;
  for (std::vector<std::int64_t>& one : read_dims(dims)) tensors.push_back({std::move(one), {}});
  std::size_t at = 0;
  for (Tensor& tensor : tensors) {
    const std::size_t open = types.find('"', at);
    if (open == std::string_view::npos) break;
    const std::size_t close = types.find('"', open + 1);
    if (close == std::string_view::npos) break;
    tensor.type = types.substr(open + 1, close - open - 1);
    at = close + 1;
  }
  return tensors;
}

std::int64_t bytes_of_type(std::string_view type) {
  const TypeName* found = find_type(type);
  return found == nullptr ? 0 : found->bytes;
}

std::string short_type(std::string_view type) {
  const TypeName* found = find_type(type);
  return std::string(found == nullptr ? type : found->shown);
}

}  // namespace bench
