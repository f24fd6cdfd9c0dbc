#include "dashboards/comparison_markdown.h"

#include <gtest/gtest.h>

#include "harness/format.h"
#include "tests/dashboards/page_text.h"
#include "tests/results/compared_runs.h"

namespace bench {
namespace {

using testing::count;

Comparison sample_comparison(int unchanged = 2) {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.0956));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.1056));
  for (int i = 0; i < unchanged; ++i) {
    add_case(before, kernel_case("gather_cast", 1024 * (i + 1)), steps(0.020));
    add_case(after, kernel_case("gather_cast", 1024 * (i + 1)), steps(0.020));
  }
  before.info.name = after.info.name = "glm5";
  before.info.number = 41;
  after.info.number = 42;
  return compare(before, after);
}

TEST(ComparisonMarkdown, ShowsWhatNeedsALookAndFoldsTheUnchanged) {
  const std::string text = comparison_markdown(sample_comparison());
  EXPECT_TRUE(text.starts_with("**1 regressed, 2 unchanged**\n\nBaseline run 41 of glm5, "));
  const auto fold = text.find("<details><summary>2 unchanged</summary>");
  ASSERT_NE(fold, std::string::npos);
  EXPECT_LT(text.find("| regressed | decode, context 4k, native\\_fp8 | tpot, ms | 95.60 | "
                      "105.6 | +10.5 % \\[+10.4, +10.5\\] |"),
            fold)
      << text;
  EXPECT_GT(text.find("| unchanged |"), fold);
  EXPECT_EQ(count(text, "| unchanged |"), 2);
}

TEST(ComparisonMarkdown, StaysWithinItsBudgetAndCountsTheRest) {
  const Comparison comparison = sample_comparison(300);
  const std::string text = comparison_markdown(comparison, {.budget = 10'000, .report = "a.html"});
  EXPECT_LE(text.size(), 10'000);
  EXPECT_GT(text.size(), 8'000);
  const std::size_t shown = count(text, "| unchanged |") + count(text, "| regressed |");
  EXPECT_NE(text.find(format("{} more rows in a.html", 301 - shown)), std::string::npos);
  EXPECT_LE(comparison_markdown(comparison).size(), 65'536);
}

TEST(ComparisonMarkdown, TextFromOutsideIsNoMarkup) {
  Comparison comparison = sample_comparison();
  comparison.candidate.tag = "@everyone <img> [x](y) | `z`";
  const std::string text = comparison_markdown(comparison);
  EXPECT_EQ(text.find('@'), std::string::npos);
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_NE(text.find("\\[x\\]\\(y\\) \\| \\`z\\`"), std::string::npos);
}

TEST(ComparisonMarkdown, ARefusalSaysWhy) {
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.010));
  const RunRecord before = after;
  after.environment[0].value = "B200";
  const std::string text = comparison_markdown(compare(before, after));
  EXPECT_NE(text.find("> Refused: the machines differ: gpu0.model"), std::string::npos);
  EXPECT_NE(text.find("nothing was compared"), std::string::npos);
}

}  // namespace
}  // namespace bench
