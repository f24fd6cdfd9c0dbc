#include "kernels/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/number_formats.h"

namespace bench {
namespace {

// Softmax and weighted sum of the tokens seen so far.
struct Sum {
  double maximum = -std::numeric_limits<double>::infinity();
  double weights = 0;
  std::vector<double> values;

  // Scales what is held so that `larger` is the reference of the exponents.
  void raise(double larger) {
    if (larger <= maximum) return;
    const double factor = std::exp(maximum - larger);
    weights *= factor;
    for (double& value : values) value *= factor;
    maximum = larger;
  }

  void add(double score, std::span<const double> row) {
    raise(score);
    const double weight = std::exp(score - maximum);
    weights += weight;
    for (std::size_t c = 0; c < values.size(); ++c) values[c] += weight * row[c];
  }

  void add(const Sum& other) {
    if (other.weights == 0) return;
    raise(other.maximum);
    const double factor = std::exp(other.maximum - maximum);
    weights += factor * other.weights;
    for (std::size_t c = 0; c < values.size(); ++c) values[c] += factor * other.values[c];
  }
};

// In eight sums, which the compiler may then keep in vectors.
double dot(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= a.size(); i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

std::vector<double> widen(const std::uint16_t* query, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::transform(query, query + count, values.begin(), bf16_to_float);
  return values;
}

}  // namespace

std::vector<ReferenceOutput> reference_attention(const StepShape& shape,
                                                 std::span<const ReferenceQuery> queries,
                                                 const RowSource& rows, Threads& threads) {
  std::vector<std::vector<double>> wide;
  std::int64_t tokens = 0;
  for (const ReferenceQuery& q : queries) {
    wide.push_back(widen(q.query, shape.row_dim()));
    tokens = std::max(tokens, q.visible);
  }
  const auto latent = static_cast<std::size_t>(shape.latent);
  const Sum nothing{.values = std::vector<double>(latent)};
  const double scale = double{shape.k_scale} * shape.softmax_scale;

  const std::int64_t chunks = std::min(tokens, std::int64_t{threads.count()} * 8);
  std::vector<std::vector<Sum>> sums(static_cast<std::size_t>(chunks));
  threads.for_each(chunks, [&](std::int64_t chunk) {
    auto& own = sums[static_cast<std::size_t>(chunk)];
    own.assign(queries.size(), nothing);
    std::vector<double> row(static_cast<std::size_t>(shape.row_dim()));
    for (std::int64_t t = tokens * chunk / chunks; t < tokens * (chunk + 1) / chunks; ++t) {
      rows(t, row);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        if (t < queries[q].visible) own[q].add(scale * dot(wide[q], row), row);
      }
    }
  });

  std::vector<ReferenceOutput> outputs;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    Sum all = nothing;
    for (const auto& chunk : sums) all.add(chunk[q]);
    for (double& value : all.values) value *= shape.v_scale / all.weights;
    outputs.push_back({std::move(all.values), all.maximum + std::log(all.weights)});
  }
  return outputs;
}

}  // namespace bench
