#include "results/result.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 8> kStatusNames{{
    {Status::ok, "ok"},
    {Status::incorrect, "incorrect"},
    {Status::failed, "failed"},
    {Status::crashed, "crashed"},
    {Status::timeout, "timeout"},
    {Status::out_of_memory, "out_of_memory"},
    {Status::skipped, "skipped"},
    {Status::invalid, "invalid"},
}};

}  // namespace

std::string_view to_string(Status status) {
  const auto it =
      std::ranges::find(kStatusNames, status, &decltype(kStatusNames)::value_type::first);
  return it->second;
}

Status status_from(std::string_view text) {
  const auto it =
      std::ranges::find(kStatusNames, text, &decltype(kStatusNames)::value_type::second);
  if (it == kStatusNames.end()) fail(format("'{}' is no status of a measurement", text));
  return it->first;
}

std::optional<double> Measurement::metric(std::string_view name) const {
  const auto it = std::ranges::find(metrics, name, &Metric::name);
  if (it == metrics.end()) return std::nullopt;
  return it->value;
}

bool failed(const Measurement& measurement) {
  if (measurement.status == Status::skipped) return false;
  return measurement.status != (measurement.negative_control ? Status::incorrect : Status::ok);
}

}  // namespace bench
