#include "dashboards/compare_report.h"

#include <gtest/gtest.h>

#include "dashboards/comparison_terminal.h"
#include "dashboards/numbers.h"
#include "dashboards/row_text.h"
#include "harness/format.h"
#include "results/comparison_export.h"
#include "results/json.h"
#include "tests/dashboards/compared.h"
#include "tests/dashboards/golden.h"
#include "tests/dashboards/page_text.h"

namespace bench {
namespace {

using testing::compare_report;
using testing::count;

TEST(CompareReport, HoldsTheFiguresAsRecorded) {
  const std::string text = testing::table_text(compare_html(compare_report()));
  EXPECT_EQ(text, testing::golden("compare_tables.txt", text));
}

TEST(CompareReport, IsTheSameBytesForTheSameData) {
  EXPECT_EQ(compare_html(compare_report()), compare_html(compare_report()));
}

TEST(CompareReport, HasNoColumnThatIsEmptyInEveryRow) {
  CompareReport report = compare_report();
  EXPECT_EQ(count(compare_html(report), ">Could show<"), 1U);
  for (Row& row : report.comparison.rows) {
    if (row.evidence) row.evidence->interval.reset();
    row.verdict.detectable.reset();
  }
  EXPECT_EQ(count(compare_html(report), ">Could show<"), 0U);
  EXPECT_EQ(count(compare_html(report), "interval of the change"), 0U);
}

TEST(CompareReport, LoadsNothing) { testing::expect_loads_nothing(compare_html(compare_report())); }

// With one space wherever there are more.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || !out.ends_with(' ')) out += c;
  }
  return out;
}

TEST(CompareReport, SaysWhatTheTerminalSaysToTheDigit) {
  const CompareReport report = compare_report();
  const std::string html = compare_html(report);
  const std::string terminal =
      squeezed(comparison_text(report.comparison, {.width = 200, .detail = Detail::full}));
  for (const Row& row : report.comparison.rows) {
    if (!row.evidence) continue;
    const RowText text = row_text(row);
    EXPECT_GE(count(html, format("<td>{}<td>{}<td", text.before, text.after)), 1U) << text.name;
    EXPECT_GE(count(html, format(">{}<td>{}<td>", text.change, text.interval)), 1U) << text.name;
    EXPECT_GE(count(terminal, format("{} -> {}", text.before, text.after)), 1U) << text.name;
    EXPECT_GE(count(terminal, text.change + " " + text.interval), 1U) << text.name;
  }
}

TEST(CompareReport, SaysWhatTheJsonSaysToTheDigit) {
  const CompareReport report = compare_report();
  const std::string html = compare_html(report);
  std::size_t judged = 0;
  const Json json = Json::parse(comparison_json(report.comparison), "comparison");
  for (const Json& row : json.at("rows").items()) {
    if (!row.find("ratio")) continue;
    ++judged;
    const std::string before = significant(row.at("baseline").number() * 1e3);
    const std::string after = significant(row.at("candidate").number() * 1e3);
    EXPECT_GE(count(html, format("<td>{}<td>{}<td", before, after)), 1U) << before;
  }
  EXPECT_EQ(judged, 25U);
}

TEST(CompareReport, MarksFactsThatDiffer) {
  const std::string html = compare_html(compare_report());
  EXPECT_EQ(count(html, "<tr class=\"differs\"><td>driver<td>580.1<td>590.2<td>\u2260 differs"),
            1U);
  EXPECT_EQ(count(html, "<td>host<td>box<td>box<td>same"), 1U);
}

TEST(CompareReport, WarnsOfWhatLimitsTrustOnEitherSide) {
  const std::string html = compare_html(compare_report());
  EXPECT_EQ(count(html,
                  "<li>candidate: throttled (hw_thermal_slowdown) in 1 case: single_stream "
                  "context 16k full_pool_cast"),
            1U);
  EXPECT_EQ(count(html, "<li>candidate: 1 case planned but not measured"), 1U);
}

TEST(CompareReport, SaysThatTheMachinesDiffer) {
  CompareReport report = compare_report();
  report.comparison.rows.clear();
  report.comparison.refused = "the machines differ: gpu0.model (H200, now B200)";
  EXPECT_EQ(count(compare_html(report), ">Not compared: the machines differ: gpu0.model"), 1U);
}

TEST(CompareReport, ShowsHostileTextAsText) {
  CompareReport report = compare_report();
  report.candidate.run.name = report.baseline.run.notes = testing::kAttack;
  report.comparison.marked = testing::kAttack;
  for (Row& row : report.comparison.rows) {
    row.label = row.verdict.reason = testing::kAttack;
    row.what.variant += testing::kAttack;
    for (StageChange& stage : row.stages) stage.stage = stage.explanation = testing::kAttack;
  }
  testing::expect_no_markup_of(testing::kAttack, compare_html(report));
}

}  // namespace
}  // namespace bench
