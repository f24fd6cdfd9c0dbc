#include "kernels/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "harness/format.h"
#include "kernels/expected_rows.h"
#include "kernels/number_formats.h"
#include "kernels/random.h"
#include "kernels/reference.h"
#include "kernels/threads.h"

namespace bench {
namespace {

constexpr std::int64_t kSpots = 64;            // slots of a layer and kind whose bytes are compared
constexpr std::int64_t kMostOneHots = 4096;    // rows of a layer
constexpr std::int64_t kLongContext = 32'768;  // beyond it, one query of each kind is enough

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// A query row of a layer, and what it must give.
struct Sample {
  std::int64_t request, query_token, head;
  QueryKind kind;
  ReferenceOutput expected;
};

// A slot of a layer's pool, and what it must hold.
struct Spot {
  std::int64_t slot;
  const char* whose;
  std::vector<std::byte> expected;
};

// At most `most` of [0, count), spread evenly, both ends included.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t most) {
  if (count <= most) most = count;
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < most; ++i) {
    chosen.push_back(most == 1 ? 0 : i * (count - 1) / (most - 1));
  }
  return chosen;
}

double relative_error(const std::uint16_t* output, const std::vector<double>& expected) {
  double difference = 0;
  double norm = 0;
  for (std::size_t c = 0; c < expected.size(); ++c) {
    const double off = double{bf16_to_float(output[c])} - expected[c];
    difference += off * off;
    norm += expected[c] * expected[c];
  }
  const double error = std::sqrt(difference / norm);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double relative_error(const std::vector<double>& values, const std::vector<double>& expected) {
  double difference = 0;
  double norm = 0;
  for (std::size_t c = 0; c < expected.size(); ++c) {
    difference += (values[c] - expected[c]) * (values[c] - expected[c]);
    norm += expected[c] * expected[c];
  }
  return std::sqrt(difference / norm);
}

// Makes and holds what one layer must give, and compares it with what a variant gave.
class LayerCheck {
 public:
  LayerCheck(Problem& problem, PoolFormat format, int layer, Threads& threads)
      : problem_(problem),
        shape_(problem.shape()),
        layer_(layer),
        pool_(static_cast<std::byte*>(problem.pool(format, layer))),
        row_bytes_(row_bytes(format, shape_)),
        own_(share_of(shape_.new_tokens() * shape_.heads, problem.part().rank,
                      problem.part().ranks)),
        queries_(download(problem.device(), problem.queries(layer),
                          shape_.new_tokens() * shape_.heads * shape_.row_dim())) {
    const Part& part = problem.part();
    if (part.sharers() == 1) own_ = {0, shape_.new_tokens() * shape_.heads};
    for (int i = 0; i < part.sharers(); ++i) {
      rows_.emplace_back(problem, format, layer, part.sharers() == 1 ? part.rank : i);
    }
    make_spots();
    make_samples(threads);
    make_one_hots(threads);
  }

  // Lets the new slots hold the rows of an earlier request.
  void make_stale() {
    for (std::int64_t r = 0; r < shape_.requests; ++r) {
      for (std::int64_t t = 0; t < shape_.query_tokens; ++t) {
        const std::int64_t slot = new_slot(r, t);
        problem_.device().upload(pool_ + slot * row_bytes_, own_rows().stale_bytes(slot));
      }
    }
  }

  // Runs one step of the layer and folds what it gave into the result.
  void run(const Pipeline& pipeline, CheckResult& result) {
    Device& device = problem_.device();
    const std::int64_t rows = shape_.new_tokens() * shape_.heads;
    const std::vector<std::byte> poison(at(rows * shape_.latent * 2), std::byte{0xff});
    device.upload(problem_.output(), poison);
    device.upload(problem_.lse(), std::span(poison).first(at(rows) * sizeof(float)));
    device.run_layer(pipeline, layer_);
    device.synchronise();
    compare_pool(result);
    compare_outputs(download(device, problem_.output(), rows * shape_.latent),
                    download(device, problem_.lse(), rows), result);
  }

  [[nodiscard]] double quantisation_error() const { return quantisation_error_; }

 private:
  // The rows of this rank; those that one of its queries sees, rank after rank.
  [[nodiscard]] const ExpectedRows& own_rows() const {
    return rows_.size() == 1 ? rows_.front() : rows_[at(problem_.part().rank)];
  }
  [[nodiscard]] const ExpectedRows& rows_of(int rank) const {
    return rows_.size() == 1 ? rows_.front() : rows_[at(rank)];
  }
  [[nodiscard]] std::int64_t new_slot(std::int64_t request, std::int64_t query_token) const {
    return problem_.slots().slot(request, shape_.visible(request, query_token) - 1);
  }
  [[nodiscard]] std::int64_t row_of(const Sample& s) const {
    return (s.request * shape_.query_tokens + s.query_token) * shape_.heads + s.head;
  }
  [[nodiscard]] bool is_own(const Sample& s) const {
    return row_of(s) >= own_.begin && row_of(s) < own_.end;
  }
  [[nodiscard]] std::vector<std::byte> bytes_of(std::int64_t slot) const {
    return download(problem_.device(), pool_ + slot * row_bytes_, row_bytes_);
  }

  void make_spots();
  void make_samples(Threads& threads);
  void make_one_hots(Threads& threads);
  [[nodiscard]] std::vector<Sample> choose_queries(std::int64_t request) const;
  void compare_pool(CheckResult& result) const;
  void compare_outputs(const std::vector<std::uint16_t>& output, const std::vector<float>& lse,
                       CheckResult& result) const;
  [[nodiscard]] std::string place(const Sample& sample) const;

  Problem& problem_;
  const StepShape& shape_;
  int layer_;
  std::byte* pool_;  // device
  std::int64_t row_bytes_;
  Share own_;                       // of the query rows: those whose output this rank has
  std::vector<ExpectedRows> rows_;  // [ranks whose tokens a query sees]
  std::vector<std::uint16_t> queries_;
  std::vector<Spot> spots_;
  std::vector<Sample> samples_;
  double quantisation_error_ = 0;
};

// New tokens' slots, the slots beside them, and a few of older tokens.
void LayerCheck::make_spots() {
  std::set<std::int64_t> fresh;
  for (std::int64_t i = 0; i < shape_.new_tokens(); ++i) {
    fresh.insert(new_slot(i / shape_.query_tokens, i % shape_.query_tokens));
  }
  for (const std::int64_t i : spread(shape_.new_tokens(), kSpots)) {
    const std::int64_t request = i / shape_.query_tokens;
    const std::int64_t token = shape_.visible(request, i % shape_.query_tokens) - 1;
    const std::int64_t slot = problem_.slots().slot(request, token);
    spots_.push_back({slot, "a new token's", own_rows().bytes(request, token)});
    for (const std::int64_t beside : {slot - 1, slot + 1}) {
      if (beside < 0 || beside >= shape_.pool_tokens || fresh.contains(beside)) continue;
      spots_.push_back({beside, "not a new token's", bytes_of(beside)});
    }
  }
  for (const std::int64_t request : spread(shape_.requests, 4)) {
    for (const std::int64_t token : spread(shape_.visible(request, 0) - 1, kSpots / 4)) {
      spots_.push_back({problem_.slots().slot(request, token), "an older token's",
                        own_rows().bytes(request, token)});
    }
  }
}

// Some query rows of a request, as many of each kind.
std::vector<Sample> LayerCheck::choose_queries(std::int64_t request) const {
  const std::int64_t rows = shape_.query_tokens * shape_.heads;
  const int wanted = shape_.context[at(request)] > kLongContext ? 1 : 2;
  std::array<int, 3> taken{};
  std::vector<Sample> chosen;
  const auto start = hash64(problem_.seed(), at(request)) % at(rows);
  // A prime larger than any number of rows: the stride meets every row once.
  constexpr std::uint64_t kStride = 1'000'003;
  for (std::uint64_t i = 0; i < at(rows); ++i) {
    const auto row = static_cast<std::int64_t>((start + i * kStride) % at(rows));
    const std::int64_t query_token = row / shape_.heads;
    const std::int64_t head = row % shape_.heads;
    const QueryKind kind = problem_.aim(layer_, request, query_token, head).kind;
    const Sample candidate{request, query_token, head, kind, {}};
    if (!is_own(candidate)) continue;
    if (taken[static_cast<std::size_t>(kind)]++ < wanted) {
      chosen.push_back(candidate);
    }
  }
  return chosen;
}

void LayerCheck::make_samples(Threads& threads) {
  for (const std::int64_t request : spread(shape_.requests, 3)) {
    std::vector<Sample> chosen = choose_queries(request);
    std::vector<ReferenceQuery> queries;
    queries.reserve(chosen.size());
    for (const Sample& s : chosen) {
      queries.push_back({queries_.data() + row_of(s) * shape_.row_dim(),
                         shape_.visible(request, s.query_token) * problem_.part().sharers()});
    }
    if (queries.empty()) continue;
    const std::int64_t held = shape_.context[at(request)];  // of the request, by each rank
    const auto stored = reference_attention(
        shape_, queries,
        [&](std::int64_t token, std::span<double> row) {
          rows_of(static_cast<int>(token / held)).stored(request, token % held, row);
        },
        threads);
    const auto original = reference_attention(
        shape_, queries,
        [&](std::int64_t token, std::span<double> row) {
          rows_of(static_cast<int>(token / held)).original(request, token % held, row);
        },
        threads);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const double error = relative_error(stored[i].output, original[i].output);
      quantisation_error_ = std::max(quantisation_error_, error);
      chosen[i].expected = stored[i];
      samples_.push_back(std::move(chosen[i]));
    }
  }
}

// A one-hot query gives the row of its token, so all requests can be looked at for little.
void LayerCheck::make_one_hots(Threads& threads) {
  std::vector<Sample> found;
  for (std::int64_t row = 0; row < shape_.new_tokens() * shape_.heads; ++row) {
    const std::int64_t head = row % shape_.heads;
    const std::int64_t query_token = row / shape_.heads % shape_.query_tokens;
    const std::int64_t request = row / shape_.heads / shape_.query_tokens;
    const QueryKind kind = problem_.aim(layer_, request, query_token, head).kind;
    const Sample candidate{request, query_token, head, kind, {}};
    if (kind == QueryKind::one_hot && is_own(candidate)) found.push_back(candidate);
  }
  const auto chosen = spread(static_cast<std::int64_t>(found.size()), kMostOneHots);
  const std::size_t first = samples_.size();
  for (const std::int64_t i : chosen) samples_.push_back(std::move(found[at(i)]));
  threads.for_each(static_cast<std::int64_t>(chosen.size()), [&](std::int64_t i) {
    Sample& s = samples_[first + at(i)];
    const QueryAim aim = problem_.aim(layer_, s.request, s.query_token, s.head);
    std::vector<double> row(at(shape_.row_dim()));
    rows_of(aim.rank).stored(s.request, aim.token, row);
    double score = 0;
    const std::uint16_t* query = queries_.data() + row_of(s) * shape_.row_dim();
    for (std::size_t c = 0; c < row.size(); ++c) score += row[c] * bf16_to_float(query[c]);
    row.resize(at(shape_.latent));
    for (double& value : row) value *= shape_.v_scale;
    s.expected = {std::move(row), score * shape_.k_scale * shape_.softmax_scale};
  });
}

void LayerCheck::compare_pool(CheckResult& result) const {
  for (const Spot& spot : spots_) {
    const std::vector<std::byte> found = bytes_of(spot.slot);
    const auto [is, should] = std::ranges::mismatch(found, spot.expected);
    if (is == found.end() || !result.reason.empty()) continue;
    result.reason = format(
        "slot {} of layer {}, {}, holds the wrong bytes: {:#04x} at byte {}, "
        "where {:#04x} should be",
        spot.slot, layer_, spot.whose, std::to_integer<int>(*is), is - found.begin(),
        std::to_integer<int>(*should));
  }
}

void LayerCheck::compare_outputs(const std::vector<std::uint16_t>& output,
                                 const std::vector<float>& lse, CheckResult& result) const {
  const Sample* worst = nullptr;
  const Sample* worst_lse = nullptr;
  double output_error = 0;
  double lse_excess = 0;
  for (const Sample& s : samples_) {
    const std::int64_t row = row_of(s);
    const double error = relative_error(output.data() + row * shape_.latent, s.expected.output);
    if (error > output_error) {
      output_error = error;
      worst = &s;
    }
    const double off = std::abs(lse[at(row)] - s.expected.lse);
    const double allowed = kLseTolerance + kLseRelativeTolerance * std::abs(s.expected.lse);
    if (!(off / allowed <= lse_excess)) {
      lse_excess = std::isnan(off) ? std::numeric_limits<double>::infinity() : off / allowed;
      worst_lse = &s;
    }
    result.lse_error = std::max(result.lse_error, off);
  }
  result.output_error = std::max(result.output_error, output_error);
  result.rows_compared += static_cast<std::int64_t>(samples_.size());
  if (!result.reason.empty()) return;
  if (std::isinf(output_error)) {
    result.reason = format("output of {} is not a number: not written, or made from unused slots",
                           place(*worst));
  } else if (output_error > kOutputTolerance) {
    result.reason = format("output of {} is off by {:.2g} of its norm, {:.2g} is allowed",
                           place(*worst), output_error, kOutputTolerance);
  } else if (lse_excess > 1) {
    result.reason = format("LSE of {} is {:.6g}, it should be {:.6g}", place(*worst_lse),
                           lse[at(row_of(*worst_lse))], worst_lse->expected.lse);
  }
}

std::string LayerCheck::place(const Sample& s) const {
  constexpr std::array kNames{"random", "peaked", "one-hot"};
  return format("layer {}, request {}, query token {}, head {} ({} query)", layer_, s.request,
                s.query_token, s.head, kNames[static_cast<std::size_t>(s.kind)]);
}

// Whether a rank's own check may go on: another's fault ends it too.
bool go_on(const Together& together, const CheckResult& result) {
  const bool fine = result.reason.empty();
  return together.communicator == nullptr ? fine : together.communicator->all(fine);
}

CheckResult run_checks(const KernelVariant& variant, Problem& problem, const Together& together) {
  Threads threads;
  std::vector<LayerCheck> layers;
  layers.reserve(problem.check_layers().size());
  for (const int layer : problem.check_layers()) {
    layers.emplace_back(problem, variant.pool, layer, threads);
    layers.back().make_stale();
  }
  const Step step = build_step(variant, problem, together);
  CheckResult result;
  for (LayerCheck& layer : layers) {
    layer.run(step.pipeline, result);
    if (step.sum != nullptr && result.reason.empty()) result.reason = step.sum->fault();
    if (go_on(together, result)) {
      layer.run(step.pipeline, result);
      if (!result.reason.empty()) result.reason += " (in a second step)";
    }
    result.quantisation_error = std::max(result.quantisation_error, layer.quantisation_error());
  }
  result.correct = result.reason.empty();
  return result;
}

void restore_pools(const KernelVariant& variant, Problem& problem) {
  problem.forget_rows(variant.pool);
  for (const int layer : problem.check_layers()) problem.pool(variant.pool, layer);
}

}  // namespace

CheckResult check(const KernelVariant& variant, Problem& problem, const Together& together) {
  CheckResult result = run_checks(variant, problem, together);
  if (!result.correct) restore_pools(variant, problem);
  return result;
}

}  // namespace bench
