#include "workloads/select.h"

#include <fnmatch.h>

#include <algorithm>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/suggest.h"

namespace bench {
namespace {

struct Pattern {
  std::string workload;
  std::string variant;  // "*" where the pattern names none
};

// The first '/' divides: names of variants have slashes of their own.
Pattern pattern_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, "*"};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

bool glob(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

[[noreturn]] void complain_of_pattern(const std::string& text,
                                      const std::vector<Workload>& workloads) {
  const Pattern pattern = pattern_of(text);
  std::vector<std::string> names;
  for (const Workload& workload : workloads) {
    if (glob(pattern.workload, workload.name)) {
      fail_usage(format("--only {}: workload '{}' has no such variant (there are: {})", text,
                        workload.name, join(workload.variants, ", ")));
    }
    names.push_back(workload.name);
  }
  const std::string hint = suggestion(pattern.workload, names);
  fail_usage(format("--only {}: no workload of that name{}", text,
                    hint.empty() ? format(" (there are: {})", join(names, ", ")) : hint));
}

}  // namespace

bool asked_by_name(const std::string& workload, const std::vector<std::string>& only) {
  return std::ranges::any_of(
      only, [&](const std::string& text) { return pattern_of(text).workload == workload; });
}

void select(std::vector<Workload>& workloads, const std::vector<std::string>& only) {
  if (only.empty()) return;
  const auto wanted = [](const std::string& text, const Workload& workload,
                         const std::string& variant) {
    const Pattern pattern = pattern_of(text);
    return glob(pattern.workload, workload.name) && glob(pattern.variant, variant);
  };
  for (const std::string& text : only) {
    const bool matches = std::ranges::any_of(workloads, [&](const Workload& workload) {
      return std::ranges::any_of(workload.variants, [&](const std::string& variant) {
        return wanted(text, workload, variant);
      });
    });
    if (!matches) complain_of_pattern(text, workloads);
  }
  for (Workload& workload : workloads) {
    std::erase_if(workload.variants, [&](const std::string& variant) {
      return std::ranges::none_of(
          only, [&](const std::string& text) { return wanted(text, workload, variant); });
    });
    const bool has_baseline = std::ranges::count(workload.variants, workload.baseline) > 0;
    if (!has_baseline && !workload.variants.empty()) workload.baseline = workload.variants.front();
  }
  std::erase_if(workloads, [](const Workload& workload) { return workload.variants.empty(); });
}

}  // namespace bench
