#include "dashboards/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "dashboards/text.h"
#include "tests/dashboards/golden.h"
#include "tests/dashboards/quickstart.h"

namespace bench {
namespace {

RunSummary summary_of(const testing::Quickstart& run) {
  return summarize(run.workloads, run.measurements, run.copy_bytes_per_s);
}

class TerminalWidth : public ::testing::TestWithParam<int> {};

TEST_P(TerminalWidth, LaysTheTableOutAsRecorded) {
  const testing::Quickstart run = testing::quickstart();
  const std::string text = terminal_summary(summary_of(run), {.width = GetParam()});
  EXPECT_EQ(text, testing::golden("terminal_" + std::to_string(GetParam()) + ".txt", text));
}

TEST_P(TerminalWidth, NoLineIsWider) {
  const testing::Quickstart run = testing::quickstart();
  for (const Detail detail : {Detail::compact, Detail::normal, Detail::full}) {
    std::istringstream lines(
        terminal_summary(summary_of(run), {.width = GetParam(), .detail = detail}));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), GetParam()) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Terminal, TerminalWidth, ::testing::Values(60, 80, 120, 200));

TEST(Terminal, TheCompactFormFitsARead) {
  const testing::Quickstart run = testing::quickstart();
  const std::string text =
      terminal_summary(summary_of(run), {.width = 100, .detail = Detail::compact});
  EXPECT_EQ(text, testing::golden("terminal_compact.txt", text));
  EXPECT_LE(std::ranges::count(text, '\n'), 12);
}

TEST(Terminal, FullDetailShowsTheStagesOfEveryPoint) {
  const testing::Quickstart run = testing::quickstart();
  const std::string text =
      terminal_summary(summary_of(run), {.width = 120, .detail = Detail::full});
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find("stage, ms a step", at)) != std::string::npos; ++at)
    ++found;
  EXPECT_EQ(found, 7U);
}

TEST(Terminal, TellsRowsOfManyAxesApartHoweverNarrow) {
  testing::Quickstart run = testing::quickstart();
  RunSummary summary = summary_of(run);
  WorkloadSummary& workload = summary.workloads[0];
  workload.axes = {"context", "pool_tokens", "page_size"};
  for (PointSummary& p : workload.points) p.label = label(p.parameters, workload.axes);
  const std::string text = terminal_summary(summary, {.width = 60, .detail = Detail::compact});
  EXPECT_NE(text.find("single_stream by context, pool_tokens, page_size:"), std::string::npos)
      << text;
  for (const PointSummary& p : workload.points) {
    const std::string values = to_text(p.parameters, *find_parameter("context")) + ", ";
    EXPECT_NE(text.find("\n" + values), std::string::npos) << values << text;
  }
}

TEST(Terminal, SaysWhatSharesAboveTheCopyBandwidthMean) {
  testing::Quickstart run = testing::quickstart();
  EXPECT_EQ(terminal_summary(summary_of(run), {.width = 100}).find("Above 100 %"),
            std::string::npos);
  run.copy_bytes_per_s /= 100;
  EXPECT_NE(terminal_summary(summary_of(run), {.width = 100}).find("Above 100 %"),
            std::string::npos);
}

TEST(Terminal, ShowsNoHeadingOverNothing) {
  testing::Quickstart run = testing::quickstart();
  for (Measurement& m : run.measurements) m.stages.clear();
  const std::string text =
      terminal_summary(summary_of(run), {.width = 120, .detail = Detail::full});
  EXPECT_EQ(text.find("\ncontext 4k\n"), std::string::npos) << text;
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  const testing::Quickstart run = testing::quickstart();
  EXPECT_EQ(terminal_summary(summary_of(run), {.width = 80}).find('\x1b'), std::string::npos);
  EXPECT_NE(terminal_summary(summary_of(run), {.width = 120, .colour = true}).find("\x1b[32m"),
            std::string::npos);
}

TEST(Terminal, AReasonCannotWriteOverTheScreen) {
  testing::Quickstart run = testing::quickstart();
  for (Measurement& m : run.measurements) {
    if (m.status == Status::incorrect) m.reason = "\x1b[2J\x1b]0;owned\x07";
  }
  EXPECT_EQ(terminal_summary(summary_of(run), {.width = 80}).find('\x1b'), std::string::npos);
}

TEST(Terminal, ARunWithoutResultsSaysSo) {
  EXPECT_EQ(terminal_summary({}, {}), "No variant has a speed beside a baseline's in this run.\n");
}

}  // namespace
}  // namespace bench
