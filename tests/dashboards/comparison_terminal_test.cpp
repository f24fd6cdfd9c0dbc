#include "dashboards/comparison_terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "dashboards/row_text.h"
#include "dashboards/text.h"
#include "tests/dashboards/page_text.h"
#include "tests/results/compared_runs.h"

namespace bench {
namespace {

Comparison terminal_comparison() {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.0956));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.0985));
  for (RunRecord* run : {&before, &after}) {
    for (Measurement& m : run->measurements) {
      const double step = *m.metric("tpot_s");
      m.stages = {{"attention", 0.030, 3e9},
                  {"cast", step - 0.05, 66e9},
                  {"combine", 1e-4 + (step > 0.097 ? 5e-5 : 0), 0}};
    }
    add_case(*run, kernel_case("gather_cast"), steps(0.020));
  }
  before.info = {.number = 41, .id = "0123456789abcdef", .name = "glm5"};
  after.info = {.number = 42, .id = "fedcba9876543210", .name = "glm5", .host = "box"};
  return compare(before, after);
}

TEST(ComparisonText, ShowsTheRegressionItsReasonAndWhereItComesFrom) {
  const std::string text = comparison_text(terminal_comparison(), {.width = 100});
  EXPECT_NE(text.find("baseline  run 41 (01234567, glm5)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("regressed     decode, context 4k, native_fp8\n"), std::string::npos);
  EXPECT_NE(text.find("tpot, ms  95.60 -> 98.50  +3.0 % [+3.0, +3.1]"), std::string::npos);
  EXPECT_NE(text.find("\n              cast +2.900 ms ["), std::string::npos);
  EXPECT_EQ(text.find("combine"), std::string::npos) << text;  // moved, but a 58th of the change
  EXPECT_NE(text.find("1 regressed, 1 unchanged\n"), std::string::npos);
  EXPECT_EQ(text.find("gather_cast"), std::string::npos);  // unchanged: counted
}

TEST(ComparisonText, ListsTheUnchangedWhenAskedForAll) {
  const std::string text =
      comparison_text(terminal_comparison(), {.width = 100, .detail = Detail::full});
  EXPECT_NE(text.find("unchanged     decode, context 4k, gather_cast"), std::string::npos) << text;
}

TEST(ComparisonText, GivesAReasonThatManyRowsShareOnce) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.02, 1));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.03, 1));
  add_case(before, kernel_case("gather_cast"), steps(0.020, 1));
  add_case(after, kernel_case("gather_cast"), steps(0.040, 1));
  const std::string text = comparison_text(compare(before, after), {.width = 100});
  EXPECT_EQ(testing::count(text, "one replicate allows no 95 % interval"), 1U) << text;
  EXPECT_EQ(testing::count(text, "inconclusive  decode"), 2U) << text;
}

TEST(ComparisonText, KeepsToTheWidth) {
  const std::string text = comparison_text(terminal_comparison(), {.width = 60});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60) << line;
}

TEST(RowText, TheChangeRecomputesFromTheFiguresShown) {
  const Comparison comparison = terminal_comparison();
  for (const Row& row : comparison.rows) {
    const RowText text = row_text(row);
    const double ratio = std::stod(text.after) / std::stod(text.before);
    EXPECT_NEAR(std::stod(text.change), (ratio - 1) * 100, 0.05);
  }
  EXPECT_EQ(ratio_text(2.1), "x 2.10");
  EXPECT_EQ(ratio_text(0.25), "x 0.250");
  EXPECT_EQ(ratio_text(0.775), "-22.5 %");
}

}  // namespace
}  // namespace bench
