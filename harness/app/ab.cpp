// bench ab: two ways on one machine, interleaved until the answer is clear.

#include <chrono>
#include <cmath>
#include <iostream>
#include <random>

#include "harness/app/ab_servers.h"
#include "harness/app/ab_side.h"
#include "harness/app/command.h"
#include "harness/app/comparison_output.h"
#include "harness/app/interrupt.h"
#include "harness/app/metric_flag.h"
#include "harness/format.h"
#include "harness/units.h"
#include "results/environment.h"
#include "results/sequential.h"

namespace bench {
namespace {

struct AbOptions {
  std::int64_t most_pairs;
  Seconds time;
  std::string metric;
  Question question;
};

AbOptions ab_options(const Arguments& arguments) {
  AbOptions options{.most_pairs = arguments.count("pairs", 8).value_or(64),
                    .time = arguments.seconds("time").value_or(std::chrono::hours(2)),
                    .metric = arguments.get("metric").value_or("tpot_s"),
                    .question = {}};
  options.question.better = metric_of_flag(options.metric).better;
  options.question.min_effect = arguments.fraction("min-effect").value_or(0.01);
  return options;
}

// Values of one case so far, pair by pair.
struct Measured {
  std::size_t index;  // of the case on both sides
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// Cases that have a speed on both sides; which, the first pair says.
void append_pair(std::vector<Measured>& measured, const std::vector<double>& before,
                 const std::vector<double>& after) {
  const auto has_speed = [&](std::size_t i) {
    return std::isfinite(before[i]) && std::isfinite(after[i]);
  };
  if (measured.empty()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (has_speed(i)) measured.push_back({i, {}, {}});
    }
    if (measured.empty()) fail("no case has a speed on both sides");
  }
  for (Measured& one : measured) {
    if (!has_speed(one.index)) fail("a case that had a speed in the first pair has none now");
    one.baseline.push_back(before[one.index]);
    one.candidate.push_back(after[one.index]);
  }
}

std::vector<Judged> family_of(const std::vector<Measured>& measured, const Question& question) {
  std::vector<Judged> family;
  family.reserve(measured.size());
  for (const Measured& one : measured) {
    family.push_back({compare_paired(one.baseline, one.candidate), question});
  }
  return family;
}

// The comparison in the form that all tables and exports take.
Comparison comparison_of(const AbSide& a, const AbSide& b, const AbOptions& options,
                         const std::vector<Measured>& measured,
                         const std::vector<Verdict>& verdicts) {
  Comparison comparison;
  comparison.within_run = true;
  comparison.candidate.name = "A and B, interleaved";
  comparison.candidate.host = host_name();
  const std::vector<Judged> family = family_of(measured, options.question);
  for (std::size_t i = 0; i < family.size(); ++i) {
    const AbCase& before = a.cases()[measured[i].index];
    const AbCase& after = b.cases()[measured[i].index];
    Row row{.what = after.what,
            .baseline_variant = before.what.variant,
            .workload = after.workload,
            .label = before.label == after.label ? after.label
                                                 : format("{} / {}", before.label, after.label),
            .metric = options.metric,
            .question = options.question,
            .evidence = family[i].evidence,
            .verdict = verdicts[i],
            .cycles = {},
            .stages = {}};
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

// Takes pairs until every verdict is clear, or the pairs or the time are spent.
std::vector<Verdict> measure(AbSide& a, AbSide& b, const AbOptions& options, std::uint64_t seed,
                             std::vector<Measured>& measured) {
  std::mt19937_64 random(seed);
  const std::vector<bool> a_first = baseline_first(options.most_pairs, random);
  Sequential sequence(options.most_pairs);
  const auto start = std::chrono::steady_clock::now();
  std::int64_t pairs = 0;
  for (const std::int64_t size : sequence.sizes()) {
    for (; pairs < size; ++pairs) {
      std::vector<double> before;
      std::vector<double> after;
      if (a_first[static_cast<std::size_t>(pairs)]) {
        before = a.measure(pairs);
        after = b.measure(pairs);
      } else {
        after = b.measure(pairs);
        before = a.measure(pairs);
      }
      append_pair(measured, before, after);
      const Seconds passed = std::chrono::steady_clock::now() - start;
      if (interrupted() || passed > options.time) {
        sequence.look(family_of(measured, options.question));
        return sequence.verdicts();
      }
    }
    sequence.look(family_of(measured, options.question));
    std::cerr << format("{} pairs: {}\n", pairs,
                        sequence.clear() ? "clear" : "not clear yet in every case");
    if (sequence.clear()) break;
  }
  return sequence.verdicts();
}

Exit run_ab(const Arguments& arguments) {
  check_format(arguments);
  if (arguments.positional(0)) return compare_servers(arguments);
  if (!arguments.get("a") || !arguments.get("b"))
    fail_usage("bench ab: --a and --b are needed, or a CONFIG with `servers: {before, after}`");
  AbOptions options = ab_options(arguments);
  const auto a = make_ab_side(*arguments.get("a"), options.metric, arguments);
  const auto b = make_ab_side(*arguments.get("b"), options.metric, arguments);
  if (a->cases().size() != b->cases().size()) {
    fail_usage(format("bench ab: A measures {} cases and B {}; they must match one to one",
                      a->cases().size(), b->cases().size()));
  }
  const bool command = a->cases()[0].what.runner == "command";
  if (command != (b->cases()[0].what.runner == "command")) {
    fail_usage("bench ab: compare two commands or two configurations, not one of each");
  }
  if (command) options.metric = "real_time_s";
  const auto seed =
      static_cast<std::uint64_t>(arguments.count("seed", 0).value_or(std::random_device{}()));
  std::vector<Measured> measured;
  const std::vector<Verdict> verdicts = measure(*a, *b, options, seed, measured);
  const Comparison comparison = comparison_of(*a, *b, options, measured, verdicts);
  write_comparison(comparison, arguments, arguments.has("strict"));
  return comparison.exit(arguments.has("strict"));
}

std::vector<Flag> ab_flags() {
  return {
      {"a", "CMD or CONFIG", "the side before: a shell command, or CONFIG [--set KEY=VALUE]..."},
      {"b", "CMD or CONFIG", "the side after"},
      {"metric", "NAME", "of configurations; else tpot_s. A command's wall time counts"},
      {"min-effect", "FRACTION", "the smallest change of interest; else 1%"},
      {"pairs", "N", "at most this many of each side; else 64. Starts of each server; else 8"},
      {"time", "TIME", "stop after this long; else 2h"},
      {"seed", "N", "of the order of the sides; else random"},
      {"strict", "", "an inconclusive case is no pass: exit 3"},
      {"all", "", "list the unchanged cases too (text)"},
      {"format", "FORMAT", "text, markdown, json, csv, junit; else text"},
      {"output", "FILE", "write there instead of to standard output"},
      {"set", "KEY=VALUE", "of servers: override a value of the file (repeatable)", true},
      {"only", "PATTERN", "of servers: only these workloads (repeatable)", true},
      {"resume", "", "of servers: go on with the newest interrupted run of CONFIG"},
      {"wait", "TIME", "of servers: for a device or database that is in use"},
      {"db", "FILE", "of servers: results database (else BENCH_DB, else results/bench.db)"},
  };
}

const Register<Command> kAbCommand{{
    .name = "ab",
    .summary = "compares two commands or configurations, interleaved until the verdict is clear",
    .positionals = "[CONFIG]",
    .flags = ab_flags(),
    .example = "bench ab --a 'configs/quickstart.yaml --set launch=eager' --b "
               "configs/quickstart.yaml",
    .run = run_ab,
}};

}  // namespace
}  // namespace bench
