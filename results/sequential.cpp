#include "results/sequential.h"

#include <algorithm>
#include <utility>

#include "harness/error.h"

namespace bench {

std::vector<std::int64_t> looks(std::int64_t most_pairs) {
  constexpr std::int64_t kFirst = 8;  // the fewest pairs whose exact test reaches 1 %
  if (most_pairs < kFirst) fail_usage("an interleaved comparison needs at least 8 pairs");
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kFirst; size < most_pairs; size *= 2) {
    sizes.push_back(size);
    if (size * 3 / 2 < most_pairs) sizes.push_back(size * 3 / 2);
  }
  sizes.push_back(most_pairs);
  return sizes;
}

std::vector<bool> baseline_first(std::int64_t pairs, std::mt19937_64& random) {
  std::vector<bool> order;
  while (std::ssize(order) < pairs) {
    const bool first = (random() & 1) != 0;
    order.push_back(first);
    order.push_back(!first);
  }
  order.resize(static_cast<std::size_t>(pairs));
  return order;
}

void Sequential::look(std::vector<Judged> family) {
  std::vector<Verdict> now = judge(family, 1 / static_cast<double>(looks_.size()));
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (verdicts_[i].word != Word::inconclusive) now[i] = std::move(verdicts_[i]);
  }
  verdicts_ = std::move(now);
}

bool Sequential::clear() const {
  return !verdicts_.empty() && std::ranges::none_of(verdicts_, [](const Verdict& v) {
    return v.word == Word::inconclusive;
  });
}

}  // namespace bench
