#include "harness/format.h"
#include "results/comparison_export.h"

namespace bench {
namespace {

// Quoted where needed (RFC 4180). A leading = + - @ would be run as a formula: such text gets an
// apostrophe in front.
std::string cell(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) {
    text.insert(text.begin(), '\'');
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string number(double value) { return format("{}", value); }  // shortest that reads back

template <typename T>
std::string number(const std::optional<T>& value) {
  return value ? format("{}", *value) : std::string();
}

std::vector<std::string> cells(const Row& row) {
  const MetricInfo* info = find_metric(row.metric);
  const Verdict& verdict = row.verdict;
  std::vector<std::string> line{
      cell(row.workload),
      cell(row.label),
      case_id(row.what),
      cell(row.what.variant),
      cell(row.baseline_variant),
      cell(row.metric),
      info == nullptr ? "" : std::string(info->unit),
      row.question.better == Better::lower ? "lower" : "higher",
      std::string(to_string(verdict.word)),
      number(row.question.min_effect),
  };
  const auto& e = row.evidence;
  const auto low = [](const std::optional<Interval>& i) { return i ? number(i->low) : ""; };
  const auto high = [](const std::optional<Interval>& i) { return i ? number(i->high) : ""; };
  for (std::string text :
       {e ? number(e->baseline) : "", e ? number(e->candidate) : "", e ? number(e->ratio) : "",
        e ? low(e->interval) : "", e ? high(e->interval) : "", low(verdict.adjusted),
        high(verdict.adjusted), e ? number(e->p) : "", e ? number(verdict.p) : "",
        number(verdict.detectable), number(verdict.replicates_needed),
        e ? format("{}", e->baseline_count) : "", e ? format("{}", e->candidate_count) : "",
        cell(row.relative_to), cell(verdict.reason)}) {
    line.push_back(std::move(text));
  }
  return line;
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  std::string out =
      "workload,label,case,variant,baseline_variant,metric,unit,better,word,min_effect,baseline,"
      "candidate,ratio,interval_low,interval_high,adjusted_low,adjusted_high,p,p_adjusted,"
      "detectable,replicates_needed,baseline_replicates,candidate_replicates,relative_to,"
      "reason\r\n";
  for (const Row& row : comparison.rows) out += format("{}\r\n", join(cells(row), ","));
  return out;
}

}  // namespace bench
