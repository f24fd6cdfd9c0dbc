#include "dashboards/compare_table.h"

#include <algorithm>
#include <array>
#include <span>

#include "dashboards/case_details.h"
#include "dashboards/numbers.h"
#include "dashboards/sample_chart.h"
#include "dashboards/table_head.h"
#include "dashboards/text.h"
#include "dashboards/verdict_sentence.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr std::array kComparedColumns{
    TableColumn{"Verdict", "", "verdict", "word and reason"},
    TableColumn{"Case", "", "workload", "workload and point"},
    TableColumn{"Variant", "", "variant", "the way the step is done"},
    TableColumn{"Metric", "", "metric", "with its unit"},
    TableColumn{"Before", "num", "", "baseline: median over replicates"},
    TableColumn{"After", "num", "", "candidate: median over replicates"},
    TableColumn{"Change", "num", "", "candidate over baseline"},
    TableColumn{"95 %", "num wide", "", "interval of the change, over replicates"},
    TableColumn{"Could show", "num wide", "",
                "the smallest change these replicates would have shown"},
};

// Without the last two where no row has them: too few replicates for any interval.
std::span<const TableColumn> columns_of(const ComparedRuns& comparison) {
  const bool intervals = std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
    return !row.text.interval.empty() || !row.text.detectable.empty();
  });
  return {kComparedColumns.data(), kComparedColumns.size() - (intervals ? 0 : 2)};
}

std::string or_dash(const std::string& text) { return text.empty() ? "\u2013" : text; }

// Beside the word: where a change comes from, or why there is no verdict.
std::string attribution_or_reason(const Row& row) {
  if (row.verdict.word == Word::unchanged) return {};
  const bool changed = row.verdict.word == Word::regressed || row.verdict.word == Word::improved;
  if (changed) return attribution(row);
  std::string reason = short_reason(row.verdict.reason);
  if (!row.verdict.replicates_needed) return reason;
  return format("{}; {} replicates would tell", reason, *row.verdict.replicates_needed);
}

void draw_row(const ComparedRow& compared, bool intervals, Html& page) {
  const Row& row = *compared.row;
  const RowText& text = compared.text;
  const WordLook look = look_of(row.verdict.word);
  page.open("tr", {{"id", slug(row.workload) + "-" + case_id(row.what) + "-" + slug(row.metric)},
                   {"class", "case"}});
  page.open("td", {{"class", "v " + std::string(look.css)}, {"data-s", std::string(look.shape)}});
  page.element("span", to_string(row.verdict.word));
  if (const std::string reason = attribution_or_reason(row); !reason.empty())
    page.element("small", reason);
  page.close();
  page.open("td").element("b", row.workload).text(" " + row.label).close();
  page.element("td", row.what.variant).element("td", text.metric);
  page.element("td", or_dash(text.before)).element("td", or_dash(text.after));
  if (row.evidence) {
    page.element("td", or_dash(text.change), {{"data-v", format("{:.4g}", row.evidence->ratio)}});
  } else {
    page.element("td", "\u2013");
  }
  if (intervals) {
    page.element("td", or_dash(text.interval)).element("td", or_dash(text.detectable));
  }
  page.close().line();
}

void draw_stages(const Row& row, Html& page) {
  if (row.stages.empty()) return;
  page.open("div", {{"class", "scroll"}}).open("table", {{"class", "stages"}}).open("tr");
  for (const char* title : {"stage", "before, ms", "after, ms", "change, ms", "95 %", "because"})
    page.element("th", title, {{"scope", "col"}});
  page.close();
  double before = 0;
  double after = 0;
  for (const StageChange& s : row.stages) {
    before += s.baseline_s;
    after += s.candidate_s;
    page.open("tr").element("td", s.stage);
    page.element("td", milliseconds(s.baseline_s)).element("td", milliseconds(s.candidate_s));
    page.element("td", signed_ms(s.change_s));
    page.element("td", s.interval ? format("[{}, {}]", signed_ms(s.interval->low),
                                           signed_ms(s.interval->high))
                                  : "\u2013");
    page.element("td", s.explanation).close();
  }
  page.open("tr", {{"class", "sum"}}).element("td", "TPOT");
  page.element("td", milliseconds(before)).element("td", milliseconds(after));
  page.element("td", signed_ms(after - before)).element("td", "").element("td", "").close();
  page.close().close();
}

// What the verdict rests on.
void draw_evidence(const ComparedRow& compared, Html& page) {
  const Row& row = *compared.row;
  const Verdict& verdict = row.verdict;
  page.element("p", format("{}: {}", to_string(verdict.word), short_reason(verdict.reason)));
  if (!row.evidence) return;
  std::string text = format("{} and {} replicates, p {} after correction over all rows. ",
                            row.evidence->baseline_count, row.evidence->candidate_count,
                            significant(verdict.p, 2));
  text += format("Changes below {} are of no interest here.", percent_of(row.question.min_effect));
  if (!compared.text.detectable.empty())
    text += format(" A change of {} would have been shown.", compared.text.detectable);
  if (row.cycles)
    text += format(" In cycles of the SM clock: [{:+.1f}, {:+.1f}] %.", (row.cycles->low - 1) * 100,
                   (row.cycles->high - 1) * 100);
  page.element("p", text);
}

void draw_side(const char* name, const CaseSummary* c, const Row& row, std::size_t rows,
               Html& page) {
  page.open("div");
  if (c == nullptr) {
    page.element("p", format("{}: this run does not have the case.", name)).close();
    return;
  }
  const MetricInfo* info = find_metric(row.metric);
  const double scale = info != nullptr && info->unit == "s" ? 1e3 : 1;
  std::vector<std::string> values;
  for (const Measurement* m : c->measurements) {
    const auto value = m->metric(row.metric);
    values.push_back(value ? significant(*value * scale) : std::string(to_string(m->status)));
  }
  page.element("p", format("{}, by replicate: {}.{}", name, join(values, ", "),
                           c->reason.empty() ? "" : " " + c->reason));
  draw_samples(*c, rows, page);
  draw_device_state(*c, page);
  page.close();
}

void draw_details(const ComparedRuns& comparison, const ComparedRow& compared, Html& page) {
  const Row& row = *compared.row;
  draw_evidence(compared, page);
  draw_stages(row, page);
  page.open("div", {{"class", "sides"}});
  draw_side("Before", compared.before, row, comparison.rows.size(), page);
  draw_side("After", compared.after, row, comparison.rows.size(), page);
  page.close();
  const auto& repeat = comparison.after.report.repeat_command;
  if (repeat)
    page.open("p")
        .text("Measure it again: ")
        .element("code", repeat(row.workload, row.what))
        .close();
}

}  // namespace

void draw_compare_table(const ComparedRuns& comparison, Html& page) {
  const std::span<const TableColumn> columns = columns_of(comparison);
  open_table("cases compare", "Every case of either run, judged; what needs a look first", columns,
             page);
  for (const ComparedRow& row : comparison.rows) {
    draw_row(row, columns.size() == kComparedColumns.size(), page);
    page.open("tr", {{"class", "detail"}}).open("td", {{"colspan", format("{}", columns.size())}});
    draw_details(comparison, row, page);
    page.close().close().line();
  }
  page.close().close().close().line();
}

}  // namespace bench
