#include "results/row.h"

#include <algorithm>

#include "harness/format.h"
#include "harness/statistics.h"
#include "results/relative.h"

namespace bench {
namespace {

double default_effect(const std::string& runner) { return runner == "http" ? 0.03 : 0.01; }

std::string label_of(const Side& side) {
  return side.planned != nullptr ? side.planned->label : canonical(case_of(side));
}

// Values of both sides in the replicates that both have.
void keep_pairs(Reading& a, Reading& b) {
  Reading left = a;
  Reading right = b;
  for (Reading* reading : {&a, &b}) {
    reading->replicates.clear();
    reading->values.clear();
  }
  for (std::size_t i = 0; i < left.replicates.size(); ++i) {
    const auto it = std::ranges::find(right.replicates, left.replicates[i]);
    if (it == right.replicates.end()) continue;
    const auto j = static_cast<std::size_t>(it - right.replicates.begin());
    a.replicates.push_back(left.replicates[i]);
    b.replicates.push_back(left.replicates[i]);
    a.values.push_back(left.values[i]);
    b.values.push_back(right.values[j]);
  }
}

bool positive(const std::vector<double>& values) {
  return !values.empty() && std::ranges::all_of(values, [](double v) { return v > 0; });
}

Verdict fault(Word word, std::string reason) { return {.word = word, .reason = std::move(reason)}; }

// The word that a row gets without any statistics; its reason is empty where there is none.
Verdict fault_of(const Reading& baseline, const Reading& candidate, const std::string& metric) {
  if (baseline.fault == Word::invalid || (baseline.fault && !candidate.fault)) {
    return fault(*baseline.fault, "baseline: " + baseline.reason);
  }
  if (candidate.fault) return fault(*candidate.fault, "candidate: " + candidate.reason);
  if (baseline.version != candidate.version) {
    return fault(Word::invalid, format("{} is version {} of its definition in the baseline and "
                                       "version {} in the candidate",
                                       metric, baseline.version, candidate.version));
  }
  if (!positive(baseline.values) || !positive(candidate.values)) {
    return fault(Word::invalid, format("{} is not above 0: no ratio can be formed", metric));
  }
  return fault(Word::inconclusive, {});
}

std::optional<Evidence> evidence_of(const Reading& a, const Reading& b, bool paired) {
  if (!positive(a.values) || !positive(b.values)) return std::nullopt;
  return paired ? compare_paired(a.values, b.values) : compare_unpaired(a.values, b.values);
}

// Interleaved sides are disturbed alike.
std::string look_for_others(Reading& reading, const Side& side) {
  std::string why = disturbed(side);
  if (reading.fault) return {};
  if (!why.empty()) reading.fault = Word::invalid;
  reading.reason = why;
  return why;
}

// Cycles, replicate by replicate; empty where a clock is unknown.
Reading read_cycles(const Side& side) {
  Reading reading{.replicates = {}, .values = {}};
  for (const Measurement* m : side.measurements) {
    const auto cycles = cycles_of(*m);
    if (m->status != Status::ok || !cycles) continue;
    reading.replicates.push_back(m->replicate);
    reading.values.push_back(*cycles);
  }
  return reading;
}

void add_step_details(Row& row, const Match& match, bool paired) {
  row.stages = attribute(*match.baseline, *match.candidate, paired);
  if (!row.relative_to.empty()) return;  // the clock is the control's too
  Reading a = read_cycles(*match.baseline);
  Reading b = read_cycles(*match.candidate);
  if (paired) keep_pairs(a, b);
  if (const auto cycles = evidence_of(a, b, paired)) row.cycles = cycles->interval;
}

// A change of time that the cycles do not show is one of the clock.
void look_at_clock(Row& row) {
  const double effect = row.question.min_effect;
  const bool alarm = row.verdict.word == Word::improved || row.verdict.word == Word::regressed;
  if (!alarm || !row.cycles) return;
  if (row.cycles->low <= 1 - effect || row.cycles->high >= 1 + effect) return;
  row.verdict.word = Word::invalid;
  row.verdict.reason =
      format("a change of the SM clock, not of the code: in cycles {:+.2f} % .. {:+.2f} %",
             (row.cycles->low - 1) * 100, (row.cycles->high - 1) * 100);
}

// Fills in what the two sides show.
void weigh(Row& row, const Match& match, bool paired) {
  Reading a = read(*match.baseline, row.metric, Role::baseline);
  Reading b = read(*match.candidate, row.metric, Role::candidate);
  if (paired) {
    keep_pairs(a, b);
  } else {
    row.baseline_disturbed = look_for_others(a, *match.baseline);
    row.candidate_disturbed = look_for_others(b, *match.candidate);
  }
  row.verdict = fault_of(a, b, row.metric);
  row.evidence = evidence_of(a, b, paired);
  if (row.evidence && row.metric == "tpot_s") add_step_details(row, match, paired);
}

Reading read_control(const Side* side, const Row& row, Role role) {
  if (side != nullptr) return read(*side, row.metric, role);
  return {.replicates = {},
          .values = {},
          .fault = Word::missing,
          .reason = format("{} was not measured beside it", row.relative_to)};
}

// The same, had the control been as fast in the candidate as in the baseline.
void weigh_relative(Row& row, const Match& match, bool paired) {
  const Reading before = read_control(match.baseline_control, row, Role::baseline);
  const Reading after = read_control(match.candidate_control, row, Role::candidate);
  row.verdict = fault_of(before, after, row.metric);
  if (!row.verdict.reason.empty()) return;
  const double level = median(before.values);
  row.control_ratio = median(after.values) / level;
  const RelativeSide baseline(*match.baseline, before, row.metric, level);
  const RelativeSide candidate(*match.candidate, after, row.metric, level);
  weigh(row,
        {.workload = match.workload, .baseline = &baseline.side(), .candidate = &candidate.side()},
        paired);
}

void say_what_it_is_relative_to(Row& row) {
  if (row.relative_to.empty()) return;
  row.verdict.reason += format(";{}, which changed by {:+.1f} %", relative_text(row.relative_to),
                               (row.control_ratio - 1) * 100);
}

}  // namespace

std::string relative_text(const std::string& relative_to) {
  return relative_to.empty() ? relative_to : " relative to " + relative_to;
}

std::vector<Asked> main_metrics(const std::string& runner) {
  if (runner == "http") return {{{}, "tpot_s"}, {{}, "ttft_s"}, {{}, "output_tokens_per_s"}};
  if (runner == "google_benchmark") return {{{}, "real_time_s"}};
  if (runner == "nvbench") return {{{}, "gpu_time_s"}};
  return {{{}, "tpot_s"}};
}

std::set<std::string> main_metrics_of(const std::vector<PlannedCase>& plan) {
  std::set<std::string> runners;
  for (const PlannedCase& planned : plan) {
    if (planned.skip.empty()) runners.insert(planned.what.runner);
  }
  std::set<std::string> metrics;
  for (const std::string& runner : runners) {
    for (const Asked& asked : main_metrics(runner)) metrics.insert(asked.metric);
  }
  return metrics;
}

const Case& case_of(const Side& side) {
  return side.planned != nullptr ? side.planned->what : side.measurements.front()->what;
}

Row make_row(const Match& match, const Asked& asked, bool paired) {
  const Side& shown = match.candidate != nullptr ? *match.candidate : *match.baseline;
  const MetricInfo* info = find_metric(asked.metric);
  Row row{
      .what = case_of(shown),
      .baseline_variant = case_of(match.baseline != nullptr ? *match.baseline : shown).variant,
      .workload = match.workload,
      .label = label_of(shown),
      .metric = asked.metric,
      .relative_to = asked.relative_to,
      .question = {.better = info != nullptr ? info->better : Better::lower,
                   .min_effect = asked.min_effect.value_or(default_effect(case_of(shown).runner))},
      .evidence = {},
      .verdict = fault(Word::missing, "only in the candidate"),
      .cycles = {},
      .stages = {}};
  if (match.baseline == nullptr) return row;
  row.verdict.reason = "only in the baseline";
  if (match.candidate == nullptr) return row;
  if (asked.relative_to.empty()) {
    weigh(row, match, paired);
  } else {
    weigh_relative(row, match, paired);
  }
  return row;
}

void judge(std::vector<Row>& rows, std::size_t size) {
  std::vector<Row*> judged;
  std::vector<Judged> family;
  for (Row& row : rows) {
    if (!row.evidence || !row.verdict.reason.empty()) continue;
    judged.push_back(&row);
    family.push_back({*row.evidence, row.question});
  }
  const std::vector<Verdict> verdicts = judge(family, 1, size);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i]->verdict = verdicts[i];
    say_what_it_is_relative_to(*judged[i]);
    look_at_clock(*judged[i]);
  }
}

}  // namespace bench
