#include "kernels/step.h"

#include <cmath>

#include "harness/format.h"
#include "kernels/expected_rows.h"
#include "kernels/number_formats.h"

namespace bench {
namespace {

// A sum in BF16 may be rounded once a rank on its way; a rank left out is off by 1 / sqrt(ranks).
constexpr double kRoundings = 0x1p-8;

}  // namespace

double Together::message_bytes(const StepShape& shape, const Part& part) const {
  if (communicator == nullptr || part.mode != Parallel::tensor || allreduce_per_layer == 0) {
    return 0;
  }
  return static_cast<double>(shape.new_tokens() * hidden * 2);
}

HiddenSum::HiddenSum(Problem& problem, const Together& together)
    : problem_(problem),
      communicator_(*together.communicator),
      count_(problem.shape().new_tokens() * together.hidden),
      from_(problem.device().allocate(static_cast<std::size_t>(count_) * 2)),
      to_(problem.device().allocate(static_cast<std::size_t>(count_) * 2)) {
  std::vector<std::uint16_t> values;
  values.reserve(static_cast<std::size_t>(count_));
  for (std::int64_t i = 0; i < count_; ++i) {
    values.push_back(float_to_bf16(handed_in(communicator_.rank(), i)));
  }
  problem.device().upload(from_.as<void>(), std::as_bytes(std::span(values)));
  const std::vector<std::byte> poison(values.size() * 2, std::byte{0xff});
  problem.device().upload(to_.as<void>(), poison);
}

float HiddenSum::handed_in(int rank, std::int64_t index) const {
  return original_value(hash64(problem_.seed(), static_cast<std::uint64_t>(rank)), 0, index, 0);
}

void HiddenSum::enqueue() const {
  communicator_.all_reduce(from_.as<std::uint16_t>(), to_.as<std::uint16_t>(), count_);
}

std::string HiddenSum::fault() const {
  const auto sums = download(problem_.device(), to_.as<std::uint16_t>(), count_);
  double difference = 0;
  double norm = 0;
  for (std::int64_t i = 0; i < count_; ++i) {
    double expected = 0;
    for (int r = 0; r < communicator_.size(); ++r) expected += double{handed_in(r, i)};
    const double off = double{bf16_to_float(sums[static_cast<std::size_t>(i)])} - expected;
    difference += off * off;
    norm += expected * expected;
  }
  const double error = std::sqrt(difference / norm);
  const double allowed = kRoundings * std::sqrt(double(communicator_.size())) / 2;
  if (error <= allowed) return {};
  return format("the all-reduce over {} ranks is off by {:.2g} of its norm, {:.2g} is allowed",
                communicator_.size(), error, allowed);
}

Step build_step(const KernelVariant& variant, Problem& problem, const Together& together) {
  Step step{.pipeline = variant.build(problem, problem.device()), .sum = nullptr};
  if (together.communicator == nullptr) return step;
  const StepShape& shape = problem.shape();
  if (problem.part().mode == Parallel::context) {
    const auto merge = together.communicator->merger({.output = problem.output(),
                                                      .lse = problem.lse(),
                                                      .rows = shape.new_tokens() * shape.heads,
                                                      .latent = shape.latent});
    step.pipeline.push_back({Stage::allreduce, [merge](int) { merge(); }});
  } else if (together.message_bytes(shape, problem.part()) > 0) {
    step.sum = std::make_shared<HiddenSum>(problem, together);
    const auto times = together.allreduce_per_layer;
    step.pipeline.push_back({Stage::allreduce, [sum = step.sum, times](int) {
                               for (std::int64_t i = 0; i < times; ++i) sum->enqueue();
                             }});
  }
  return step;
}

}  // namespace bench
