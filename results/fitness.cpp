#include "results/fitness.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "harness/format.h"

namespace bench {
namespace {

// What one side says under a name: of several devices, several values.
struct Said {
  std::vector<std::string> values;
  std::optional<FactRole> role;
};

std::map<std::string, Said> by_name(const std::vector<Fact>& facts) {
  std::map<std::string, Said> all;
  for (const Fact& fact : facts) {
    Said& said = all[fact.name];
    said.values.push_back(fact.value);
    said.role = std::min(said.role.value_or(fact.role), fact.role);
  }
  for (auto& [name, said] : all) std::ranges::sort(said.values);
  return all;
}

std::string_view or_absent(const std::string& value) {
  return value.empty() ? std::string_view("absent") : value;
}

}  // namespace

std::vector<FactDifference> differences(const std::vector<Fact>& baseline,
                                        const std::vector<Fact>& candidate) {
  std::map<std::string, Said> before = by_name(baseline);
  std::map<std::string, Said> after = by_name(candidate);
  for (const auto& [name, said] : after) before.try_emplace(name);
  std::vector<FactDifference> found;
  for (const auto& [name, said] : before) {
    const Said& other = after[name];
    const FactRole role = std::min(said.role.value_or(FactRole::circumstance),
                                   other.role.value_or(FactRole::circumstance));
    if (said.values == other.values || role == FactRole::circumstance) continue;
    found.push_back({name, format("{}", join(said.values, ", ")),
                     format("{}", join(other.values, ", ")), role});
  }
  std::ranges::stable_sort(found, {}, &FactDifference::role);
  return found;
}

std::string unfit(const std::vector<FactDifference>& differences) {
  std::vector<std::string> reasons;
  for (const FactDifference& d : differences) {
    if (d.role != FactRole::machine) continue;
    reasons.push_back(
        format("{} ({}, now {})", d.name, or_absent(d.baseline), or_absent(d.candidate)));
  }
  if (reasons.empty()) return {};
  return format("the machines differ: {}", join(reasons, ", "));
}

}  // namespace bench
