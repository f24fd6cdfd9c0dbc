// bench compare: what changed between two runs, or between the variants of one.

#include "results/compare.h"

#include "harness/app/command.h"
#include "harness/app/comparison_output.h"
#include "harness/app/metric_flag.h"
#include "harness/app/paths.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

CompareOptions compare_options(const Arguments& arguments) {
  CompareOptions options;
  options.across_machines = arguments.has("across-machines");
  options.workload = arguments.get("workload").value_or("");
  options.min_effect = arguments.fraction("min-effect");
  for (const std::string& metric : arguments.all("metric")) {
    metric_of_flag(metric);
    options.asked.push_back({.workload = {}, .metric = metric, .min_effect = {}});
  }
  return options;
}

Exit run_compare(const Arguments& arguments) {
  check_format(arguments);
  const CompareOptions options = compare_options(arguments);
  Store store(database_path(arguments.get("db").value_or("")).string(), Access::read);
  const auto load = [&](const std::string& name) {
    return load_run(store, resolve_run(store, name), LoadSamples::no);
  };
  const RunRecord first = load(*arguments.positional(0));
  const auto second = arguments.positional(1);
  const Comparison comparison =
      second ? compare(first, load(*second), options) : compare_variants(first, options);
  const bool strict = arguments.has("strict");
  write_comparison(comparison, arguments, strict);
  return comparison.exit(strict);
}

std::vector<Flag> compare_flags() {
  std::vector<Flag> all{
      {"metric", "NAME", "judge this metric instead of the main ones (repeatable)", true},
      {"workload", "NAME", "only the cases of this workload"},
      {"min-effect", "FRACTION", "the smallest change of interest (else 1% kernel, 3% http)"},
      {"strict", "", "an inconclusive case is no pass: exit 3"},
  };
  for (Flag& flag : comparison_flags()) all.push_back(std::move(flag));
  return all;
}

const Register<Command> kCompareCommand{{
    .name = "compare",
    .summary = "what changed from run BASE to run CAND, or between the variants of one run",
    .positionals = "BASE [CAND]",
    .flags = compare_flags(),
    .example = "bench compare pinned latest --format markdown",
    .run = run_compare,
}};

}  // namespace
}  // namespace bench
