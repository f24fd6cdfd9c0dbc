#include "runners/http/load_plan.h"

#include <cmath>
#include <random>

#include "harness/error.h"

namespace bench {
namespace {

// n due times in (0, length], the last at its end.
std::vector<Seconds> due_times(std::int64_t n, Seconds length, Arrival arrival,
                               std::mt19937_64& random) {
  std::vector<Seconds> due;
  double at = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    // Inverse transform; the standard's distributions differ between libraries.
    const double uniform = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
    at += arrival == Arrival::poisson ? -std::log(uniform) : 1;
    due.emplace_back(at);
  }
  for (Seconds& time : due) time *= length.count() / at;
  return due;
}

}  // namespace

std::vector<DueRequest> schedule(const LoadPlan& plan) {
  std::mt19937_64 random(plan.seed);
  std::int64_t measured = plan.requests;
  if (measured == 0) measured = std::llround(plan.rate_per_s * plan.duration.count());
  if (measured == 0) fail_usage("an open loop needs `requests` or `duration_s`");
  const Seconds length(static_cast<double>(measured) / plan.rate_per_s);
  const Seconds warm_up = plan.warm_up_end();
  const std::int64_t before = std::llround(plan.rate_per_s * warm_up.count());
  std::vector<DueRequest> all;
  for (const Seconds due : due_times(before, warm_up, plan.arrival, random)) {
    all.push_back({due, Phase::warm_up});
  }
  for (const Seconds due : due_times(measured, length, plan.arrival, random)) {
    all.push_back({warm_up + due, Phase::measured});
  }
  return all;
}

}  // namespace bench
