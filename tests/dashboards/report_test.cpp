#include "dashboards/report.h"

#include <gtest/gtest.h>

#include "tests/dashboards/golden.h"
#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

RunReport quickstart_report() {
  testing::Quickstart run = testing::quickstart();
  RunReport report;
  report.run.id = "12";
  report.run.name = "quickstart";
  report.run.started = "2026-11-29 21:00:00 UTC";
  report.run.environment = {{"host", "box"}, {"CPU", "2 cores"}};
  report.generated = "2026-11-29 21:10:00 UTC";
  report.workloads = std::move(run.workloads);
  report.measurements = std::move(run.measurements);
  report.copy_bytes_per_s = run.copy_bytes_per_s;
  return report;
}

// The text of every row and cell of the page's tables, one row a line.
std::string table_text(const std::string& html) {
  std::string text;
  bool inside = false;
  for (std::size_t at = 0; at < html.size(); ++at) {
    if (html[at] != '<') {
      if (inside && html[at] != '\n') text += html[at];
      continue;
    }
    const std::string tag = html.substr(at + 1, html.find_first_of(" >", at) - at - 1);
    if (tag == "table") inside = true;
    if (tag == "/table") inside = false;
    if (inside && tag == "tr") text += '\n';
    if (inside && (tag == "td" || tag == "th")) text += " | ";
    at = html.find('>', at);
  }
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

TEST(Report, HoldsTheFiguresAsRecorded) {
  const std::string text = table_text(report_html(quickstart_report()));
  EXPECT_EQ(text, testing::golden("report_tables.txt", text));
}

TEST(Report, IsTheSameBytesForTheSameData) {
  EXPECT_EQ(report_html(quickstart_report()), report_html(quickstart_report()));
}

TEST(Report, LoadsNothing) {
  const std::string html = report_html(quickstart_report());
  for (const char* scheme :
       {"http://", "https://", "ws://", "wss://", "//cdn", "url(", "@import", "src=", "<link"}) {
    EXPECT_EQ(count(html, scheme), 0U) << scheme;
  }
  EXPECT_EQ(count(html, "href="), count(html, "href=\"#"));
  EXPECT_EQ(count(html, "default-src 'none'") + count(html, "default-src &#39;none&#39;"), 1U);
}

TEST(Report, ShowsHostileTextAsText) {
  const std::string attack =
      "</script><script>alert(1)</script><img src=x onerror=alert(1)>\" onload=\"";
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
  EXPECT_EQ(count(html, "<script"), 1U);
  EXPECT_EQ(count(html, "</script"), 1U);
  EXPECT_EQ(count(html, "<img"), 0U);
  EXPECT_EQ(count(html, "\" onload=\""), 0U);
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

TEST(Report, OpensACaseByALink) {
  const RunReport report = quickstart_report();
  const Workload& w = report.workloads[0];
  const std::string id = "single-stream-" + case_id(w.case_of(w.points[0], "native_fp8"));
  EXPECT_EQ(count(report_html(report), "id=\"" + id + "\""), 1U);
}

TEST(Report, StaysUnderAMegabyteForFiveHundredCases) {
  RunReport report = quickstart_report();
  Workload wide = report.workloads[0];
  report.workloads.clear();
  report.measurements.clear();
  wide.points.clear();
  wide.variants.resize(5);
  for (std::int64_t i = 0; i < 100; ++i) {
    Parameters p = quickstart_report().workloads[0].points[0].parameters;
    p.context = 1024 * (1 + i % 10);
    p.concurrency = 1 + i / 10;
    wide.points.push_back({p, ""});
  }
  wide.axes = {"context", "concurrency"};
  for (const Point& point : wide.points) {
    for (const std::string& variant : wide.variants) {
      for (std::int64_t replicate = 0; replicate < 3; ++replicate) {
        Measurement m = testing::measured(wide, wide.case_of(point, variant), replicate,
                                          1e-3 * static_cast<double>(1 + replicate));
        m.stages = {{"append", 1e-5, 1e3},
                    {"gather", 1e-4, 1e6},
                    {"cast", 1e-4, 1e6},
                    {"attention", 1e-4, 1e6}};
        for (std::size_t i = 0; i < 667; ++i)
          m.samples_s.push_back(1e-3 + 1e-6 * static_cast<double>(i * 7919 % 101));
        report.measurements.push_back(std::move(m));
      }
    }
  }
  report.workloads.push_back(wide);
  const std::string html = report_html(report);
  RecordProperty("bytes", static_cast<int>(html.size()));
  EXPECT_LT(html.size(), 1000000U);
}

}  // namespace
}  // namespace bench
