#include "dashboards/case_table.h"

#include <array>

#include "dashboards/case_details.h"
#include "dashboards/numbers.h"
#include "dashboards/table_head.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::array kCaseColumns{
    TableColumn{"Case", "", "workload", "workload and point"},
    TableColumn{"Variant", "", "variant", "the way the step is done"},
    TableColumn{"TPOT, ms", "num", "", "time per output token: median of the replicates' medians"},
    TableColumn{"tok/s", "num wide", "", "of one user: 1 / TPOT"},
    TableColumn{"Change", "num", "", "of TPOT against the baseline variant; x: times faster"},
    TableColumn{"95 %", "num wide", "", "interval of the change, from replicates"},
    TableColumn{"Saved, ms", "num wide", "", "baseline's TPOT less this one's"},
    TableColumn{"Predicted, ms", "num wide", "",
                "fewer declared bytes over the measured copy bandwidth"},
    TableColumn{"Moved / needed", "num wide", "", "declared bytes over the active tokens' bytes"},
    TableColumn{"Result", "", "result", "against the baseline, or why there is no speed"},
};

void cell(const std::string& text, Html& page) {
  page.element("td", text.empty() ? "\u2013" : text);
}

std::string ms_or_nothing(const std::optional<double>& seconds) {
  return seconds ? milliseconds(*seconds) : "";
}

void draw_row(const WorkloadSummary& workload, const PointSummary& point, const CaseSummary& c,
              Html& page) {
  const bool first = &c == &point.cases.front();
  const CaseOutcome outcome = outcome_of(c, workload.baseline);
  page.open("tr", {{"id", slug(workload.name) + "-" + c.case_id},
                   {"class", first ? "case" : "case more"}});
  page.open("td").element("b", workload.name).text(" " + point.label).close();
  page.element("td", c.variant());
  cell(ms_or_nothing(c.tpot_s), page);
  cell(c.tpot_s ? tokens_per_s(*c.tpot_s) : "", page);
  if (c.change) {
    page.element("td", change_text(c.change->ratio),
                 {{"data-v", format("{:.4g}", c.change->ratio)}});
  } else {
    cell("", page);
  }
  cell(c.change && c.change->interval ? interval_text(c.change->ratio, *c.change->interval) : "",
       page);
  cell(c.saving ? milliseconds(c.saving->achieved_s) : "", page);
  cell(c.saving ? ms_or_nothing(c.saving->predicted_s) : "", page);
  cell(c.amplification ? significant(*c.amplification, 3) + " x" : "", page);
  page.open("td",
            {{"class", "v " + std::string(outcome.css)}, {"data-s", std::string(outcome.shape)}});
  page.text(outcome.word);
  if (c.status != Status::ok && !c.reason.empty()) page.element("small", c.reason);
  page.close().close().line();
}

std::size_t count_cases(const RunSummary& summary) {
  std::size_t cases = 0;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) cases += point.cases.size();
  }
  return cases;
}

}  // namespace

CaseOutcome outcome_of(const CaseSummary& c, const std::string& baseline) {
  if (!c.status) return {"?", "missing", "warn"};
  if (*c.status == Status::skipped) return {"\u25cb", "skipped", "none"};
  if (c.is_sound_control()) return {"\u2713", "incorrect, as it must be", "none"};
  if (*c.status != Status::ok) return {"\u2715", c.status_word(), "warn"};
  if (c.variant() == baseline) return {"\u25c6", "baseline", "none"};
  if (!c.change) return {"\u2013", "no baseline", "none"};
  if (!c.change->interval) return {"~", "one replicate", "none"};
  if (c.change->interval->high < 1) return {"\u25b2", "faster", "good"};
  if (c.change->interval->low > 1) return {"\u25bc", "slower", "bad"};
  return {"~", "unclear", "none"};
}

void draw_case_table(const RunSummary& summary, const RepeatCommand& repeat, Html& page) {
  const std::size_t cases = count_cases(summary);
  open_table("cases run", "Before and after: every case of the run", kCaseColumns, page);
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) {
        draw_row(workload, point, c, page);
        page.open("tr", {{"class", "detail"}})
            .open("td", {{"colspan", format("{}", kCaseColumns.size())}});
        draw_case_details(c, repeat ? repeat(workload.name, c.what) : std::string(), cases, page);
        page.close().close().line();
      }
    }
  }
  page.close().close().close().line();
}

}  // namespace bench
