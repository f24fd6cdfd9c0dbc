#include "dashboards/report.h"

#include <gtest/gtest.h>

#include "tests/dashboards/golden.h"
#include "tests/dashboards/page_text.h"
#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

using testing::count;
using testing::quickstart_report;

TEST(Report, HoldsTheFiguresAsRecorded) {
  const std::string text = testing::table_text(report_html(quickstart_report()));
  EXPECT_EQ(text, testing::golden("report_tables.txt", text));
}

TEST(Report, IsTheSameBytesForTheSameData) {
  EXPECT_EQ(report_html(quickstart_report()), report_html(quickstart_report()));
}

TEST(Report, LoadsNothing) {
  const std::string html = report_html(quickstart_report());
  testing::expect_loads_nothing(html);
  EXPECT_EQ(count(html, "href="), count(html, "href=\"#"));
}

TEST(Report, ShowsHostileTextAsText) {
  const std::string& attack = testing::kAttack;
  RunReport report = quickstart_report();
  report.run.name = report.run.notes = report.run.tag = report.run.command = report.run.id = attack;
  report.run.environment = {{attack, attack}};
  report.run.warnings = {attack};
  for (Workload& w : report.workloads) w.name += attack;
  for (Measurement& m : report.measurements) {
    m.workload += attack;
    m.what.parameters.model = attack;
    m.telemetry.other_processes = attack;
    if (m.status != Status::ok) m.reason = attack;
    for (StageResult& s : m.stages) s.stage += attack;
  }
  const std::string html = report_html(report);
  testing::expect_no_markup_of(attack, html);
}

TEST(Report, ShowsEveryCaseWithItsReason) {
  RunReport report = quickstart_report();
  report.measurements.pop_back();
  report.measurements.pop_back();
  report.measurements.pop_back();
  const std::string html = report_html(report);
  EXPECT_EQ(count(html, "<tr id="), 30U);
  EXPECT_EQ(count(html, "Cases: 3 incorrect, 1 missing, 26 ok."), 1U);
  EXPECT_GE(count(html, "planned, but this run holds no result"), 1U);
  EXPECT_GE(count(html, "a negative control: must be wrong"), 3U);
}

TEST(Report, OfARunInWhichAllFailedSaysSoAndStaysSmall) {
  RunReport report = testing::large_report(500, 1000);
  for (Measurement& m : report.measurements) {
    m.status = Status::crashed;
    m.reason = "signal 11 " + std::string(10000, 'x');
    m.metrics.clear();
    m.samples_s.clear();
  }
  const std::string html = report_html(report);
  EXPECT_NE(html.find("No case of this run has a speed: 500 crashed."), std::string::npos)
      << html.substr(html.find("<h1"), 300);
  EXPECT_LT(html.size(), 1000000U);
}

TEST(Report, OpensACaseByALink) {
  const RunReport report = quickstart_report();
  const Workload& w = report.workloads[0];
  const std::string id = "single-stream-" + case_id(w.case_of(w.points[0], "native_fp8"));
  EXPECT_EQ(count(report_html(report), "id=\"" + id + "\""), 1U);
}

TEST(Report, StaysUnderAMegabyteForFiveHundredCases) {
  const std::string html = report_html(testing::large_report(500, 1000000));
  RecordProperty("bytes", static_cast<int>(html.size()));
  EXPECT_LT(html.size(), 1000000U);
}

}  // namespace
}  // namespace bench
