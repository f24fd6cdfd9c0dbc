#include "results/comparison_export.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/json.h"
#include "tests/results/compared_runs.h"

namespace bench {
namespace {

// One regression, one unchanged case and one that only the candidate has.
Comparison sample_comparison() {
  RunRecord before = run_of(kernel_case("native_fp8"), steps(0.0956));
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.1056));
  add_case(before, kernel_case("gather_cast"), steps(0.020));
  add_case(after, kernel_case("gather_cast"), steps(0.020));
  add_case(after, kernel_case("bf16_pool"), steps(0.020));
  after.environment[1].value = "600.0";
  before.info.number = 41;
  after.info.number = 42;
  after.info.name = "glm5 \"<night>\"";
  return compare(before, after);
}

TEST(ComparisonJson, SaysWhatTheComparisonSays) {
  const Comparison comparison = sample_comparison();
  const Json json = Json::parse(comparison_json(comparison), "comparison");
  EXPECT_EQ(json.at("schema_version").count(), kComparisonVersion);
  EXPECT_EQ(json.at("candidate").at("number").count(), 42);
  EXPECT_EQ(json.at("counts").at("regressed").count(), 1);
  EXPECT_EQ(json.at("counts").at("missing").count(), 1);
  EXPECT_EQ(json.at("exit").count(), static_cast<int>(comparison.exit(false)));
  EXPECT_EQ(json.at("differences").items()[0].at("name").text(), "gpu0.driver");
  const Json row = json.at("rows").items()[0];
  EXPECT_EQ(row.at("word").text(), "regressed");
  EXPECT_EQ(row.at("better").text(), "lower");
  EXPECT_EQ(row.at("unit").text(), "s");
  EXPECT_DOUBLE_EQ(row.at("ratio").number(),
                   row.at("candidate").number() / row.at("baseline").number());
  EXPECT_LT(row.at("interval").numbers()[0], row.at("ratio").number());
  EXPECT_EQ(row.at("replicates").numbers(), (std::vector<double>{8, 8}));
  EXPECT_FALSE(json.at("rows").items()[2].find("ratio"));  // unknown is absent, never 0
}

TEST(ComparisonCsv, HasALineARowAndACellAColumn) {
  const std::string csv = comparison_csv(sample_comparison());
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < csv.size();) {
    const auto end = csv.find("\r\n", at);
    lines.push_back(csv.substr(at, end - at));
    at = end + 2;
  }
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(std::ranges::count(lines[3], ','), std::ranges::count(lines[0], ','));
  EXPECT_TRUE(lines[1].starts_with("decode,context 4k,"));
  EXPECT_NE(lines[1].find(",regressed,0.01,0.0956,0.1056,"), std::string::npos) << lines[1];
}

TEST(ComparisonCsv, QuotesWhatWouldBreakALineOrRunAsAFormula) {
  Comparison comparison = sample_comparison();
  comparison.rows.resize(1);
  comparison.rows[0].label = "=cmd()";
  comparison.rows[0].verdict.reason = "a \"quoted\", reason";
  const std::string csv = comparison_csv(comparison);
  EXPECT_NE(csv.find(",'=cmd(),"), std::string::npos);
  EXPECT_NE(csv.find("\"a \"\"quoted\"\", reason\"\r\n"), std::string::npos);
}

TEST(ComparisonJunit, RegressedFailsMissingErrsAndNamesTheFigures) {
  const std::string xml = comparison_junit(sample_comparison(), false);
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""), std::string::npos);
  EXPECT_NE(
      xml.find("name=\"context 4k native_fp8 tpot_s\">\n      <failure message=\"regressed: "),
      std::string::npos)
      << xml;
  EXPECT_NE(xml.find("(0.0956 -&gt; 0.1056)"), std::string::npos);
  EXPECT_NE(xml.find("glm5 &quot;&lt;night&gt;&quot;"), std::string::npos);
}

TEST(ComparisonJunit, InconclusiveIsSkippedOrUnderStrictAnError) {
  const RunRecord run = run_of(kernel_case("native_fp8"), steps(0.010, 3));
  EXPECT_NE(comparison_junit(compare(run, run), false).find("<skipped"), std::string::npos);
  EXPECT_NE(comparison_junit(compare(run, run), true).find("<error"), std::string::npos);
}

TEST(ComparisonJunit, ARefusedComparisonIsAnError) {
  RunRecord after = run_of(kernel_case("native_fp8"), steps(0.010));
  const RunRecord before = after;
  after.environment[0].value = "B200";
  const std::string xml = comparison_junit(compare(before, after), false);
  EXPECT_NE(xml.find("errors=\"1\""), std::string::npos);
  EXPECT_NE(xml.find("refused: the machines differ"), std::string::npos);
}

}  // namespace
}  // namespace bench
