#include "kernels/expected_rows.h"

#include "kernels/number_formats.h"
#include "kernels/random.h"

namespace bench {

ExpectedRows::ExpectedRows(const Problem& problem, PoolFormat format, int layer, int rank)
    : problem_(problem), format_(format), layer_(layer), seed_(problem.row_seed(rank)) {}

std::vector<float> ExpectedRows::values(std::int64_t request, std::int64_t token) const {
  const StepShape& shape = problem_.shape();
  std::vector<float> row(static_cast<std::size_t>(shape.row_dim()));
  const std::int64_t query_token = token - (shape.visible(request, 0) - 1);
  const std::int64_t slot = problem_.slots().slot(request, token);
  if (query_token < 0) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = original_value(seed_, layer_, slot, static_cast<std::int64_t>(c));
    }
    return row;
  }
  std::vector<std::uint16_t> fresh(row.size());
  make_new_row(shape, seed_, layer_, slot, fresh.data());
  for (std::size_t c = 0; c < row.size(); ++c) row[c] = bf16_to_float(fresh[c]) / shape.k_scale;
  return row;
}

std::vector<std::byte> ExpectedRows::encode(const std::vector<float>& values) const {
  std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(format_, problem_.shape())));
  encode_row(format_, problem_.shape(), values, row.data());
  return row;
}

std::vector<std::byte> ExpectedRows::bytes(std::int64_t request, std::int64_t token) const {
  return encode(values(request, token));
}

void ExpectedRows::stored(std::int64_t request, std::int64_t token, std::span<double> row) const {
  decode_row(format_, problem_.shape(), bytes(request, token).data(), row);
}

void ExpectedRows::original(std::int64_t request, std::int64_t token, std::span<double> row) const {
  const std::int64_t slot = problem_.slots().slot(request, token);
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] = original_value(seed_, layer_, slot, static_cast<std::int64_t>(c));
  }
}

std::vector<std::byte> ExpectedRows::stale_bytes(std::int64_t slot) const {
  std::vector<float> row(static_cast<std::size_t>(problem_.shape().row_dim()));
  const std::uint64_t seed = hash64(seed_, 0x57a1e);
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] = original_value(seed, layer_, slot, static_cast<std::int64_t>(c));
  }
  return encode(row);
}

}  // namespace bench
