#include <array>

#include "results/comparison_export.h"
#include "results/json_writer.h"

namespace bench {
namespace {

constexpr std::array kWords{Word::improved,     Word::regressed, Word::unchanged,
                            Word::inconclusive, Word::missing,   Word::invalid};

void write_run(JsonWriter& out, std::string_view side, const RunInfo& info) {
  out.key(side).begin_object();
  out.member("id", info.id).member("number", info.number).member("name", info.name);
  out.member("started_unix_s", info.started_unix_s).member("host", info.host);
  out.member("tag", info.tag).end_object();
}

void write_interval(JsonWriter& out, std::string_view name, const std::optional<Interval>& i) {
  if (i) out.key(name).begin_array().value(i->low).value(i->high).end_array();
}

void write_changes(JsonWriter& out, const std::vector<StageChange>& stages) {
  if (stages.empty()) return;
  out.key("stages").begin_array();
  for (const StageChange& stage : stages) {
    out.begin_object().member("stage", stage.stage).member("baseline_s", stage.baseline_s);
    out.member("candidate_s", stage.candidate_s).member("change_s", stage.change_s);
    write_interval(out, "interval_s", stage.interval);
    out.member("cause", to_string(stage.cause)).member("explanation", stage.explanation);
    out.end_object();
  }
  out.end_array();
}

void write_evidence(JsonWriter& out, const Evidence& e) {
  out.member("baseline", e.baseline).member("candidate", e.candidate).member("ratio", e.ratio);
  write_interval(out, "interval", e.interval);
  out.member("p", e.p).member("paired", e.paired);
  out.key("replicates").begin_array();
  out.value(e.baseline_count).value(e.candidate_count).end_array();
}

void write_row(JsonWriter& out, const Row& row) {
  const MetricInfo* info = find_metric(row.metric);
  const Verdict& verdict = row.verdict;
  out.new_line().begin_object();
  out.member("workload", row.workload).member("label", row.label).member("case", case_id(row.what));
  out.member("variant", row.what.variant).member("baseline_variant", row.baseline_variant);
  out.member("metric", row.metric).member("unit", info == nullptr ? "" : info->unit);
  out.member("better", row.question.better == Better::lower ? "lower" : "higher");
  if (!row.relative_to.empty()) {
    out.member("relative_to", row.relative_to).member("control_ratio", row.control_ratio);
  }
  out.member("word", to_string(verdict.word)).member("reason", verdict.reason);
  out.member("min_effect", row.question.min_effect);
  if (row.evidence) {
    write_evidence(out, *row.evidence);
    out.member("p_adjusted", verdict.p);
  }
  write_interval(out, "adjusted", verdict.adjusted);
  if (verdict.detectable) out.member("detectable", *verdict.detectable);
  if (verdict.replicates_needed) out.member("replicates_needed", *verdict.replicates_needed);
  write_interval(out, "cycles", row.cycles);
  write_changes(out, row.stages);
  out.end_object();
}

void write_differences(JsonWriter& out, const std::vector<FactDifference>& differences) {
  out.key("differences").begin_array();
  for (const FactDifference& d : differences) {
    out.begin_object().member("name", d.name).member("baseline", d.baseline);
    out.member("candidate", d.candidate).member("role", to_string(d.role)).end_object();
  }
  out.end_array();
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  JsonWriter out;
  out.begin_object().member("schema_version", kComparisonVersion);
  write_run(out, "baseline", comparison.baseline);
  write_run(out, "candidate", comparison.candidate);
  out.member("within_run", comparison.within_run).member("refused", comparison.refused);
  out.member("marked", comparison.marked);
  write_differences(out, comparison.differences);
  out.key("counts").begin_object();
  for (const Word word : kWords) out.member(to_string(word), comparison.count(word));
  out.end_object();
  out.member("exit", static_cast<int>(comparison.exit(false)));
  out.member("exit_strict", static_cast<int>(comparison.exit(true)));
  out.key("means").begin_array();
  for (const MeanRatio& mean : comparison.means) {
    out.begin_object().member("metric", mean.metric).member("variant", mean.variant);
    out.member("cases", mean.cases).member("ratio", mean.ratio).end_object();
  }
  out.end_array().key("rows").begin_array();
  for (const Row& row : comparison.rows) write_row(out, row);
  out.end_array().end_object().new_line();
  return out.take();
}

}  // namespace bench
