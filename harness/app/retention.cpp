#include "harness/app/retention.h"

#include "harness/units.h"

namespace bench {
namespace {

std::optional<Seconds> age_of(const Plan& plan, const char* key, std::optional<Seconds> usual) {
  const auto given = plan.keep.find(key);
  if (given == plan.keep.end()) return usual;
  if (given->second == "forever") return std::nullopt;
  return parse_seconds(given->second);
}

}  // namespace

Retention retention_of(const Plan& plan) {
  Retention retention{.rule = std::nullopt, .site = age_of(plan, "site", std::nullopt)};
  const auto samples = age_of(plan, "samples", Seconds(30 * 86400.0));
  const auto metrics = age_of(plan, "metrics", std::nullopt);
  if (!samples && !metrics) return retention;
  // A run that goes altogether takes its samples along.
  retention.rule = {.older_than = samples ? *samples : *metrics,
                    .forget_after = metrics,
                    .configuration = plan.name};
  return retention;
}

}  // namespace bench
