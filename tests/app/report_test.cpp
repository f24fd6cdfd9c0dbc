#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/app/bench_program.h"
#include "tests/app/nights_store.h"

namespace bench {
namespace {

// Eight replicates: as many as a verdict needs.
constexpr const char* kReportConfig = R"(
name: tiny
workloads:
  decode:
    runner: fake
    variants: [full_pool_cast, native_fp8]
    baseline: full_pool_cast
    replicates: 8
    sweep: {context: [1k, 2k], pool_tokens: [64k]}
    script: >
      full_pool_cast = 20ns*pool_tokens@cast + 1us*context@attention;
      native_fp8 = 1us*context@attention
)";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ReportCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    program_ = new BenchProgram;
    std::string config = kReportConfig;
    program_->write("tiny.yaml", config);
    ASSERT_EQ(program_->run("run tiny.yaml").exit, 0);
    config.replace(config.find("20ns"), 4, "21ns");
    program_->write("tiny.yaml", config);
    ASSERT_EQ(program_->run("run tiny.yaml").exit, 0);
  }
  static void TearDownTestSuite() {
    delete program_;
    program_ = nullptr;
  }
  static const BenchProgram& program() { return *program_; }

 private:
  static inline BenchProgram* program_ = nullptr;
};

TEST_F(ReportCommand, WritesThePageOfARun) {
  const Outcome out = program().run("report 1 --out one.html");
  EXPECT_EQ(out.exit, 0) << out.err;
  EXPECT_EQ(out.out, "one.html\n");
  EXPECT_TRUE(holds(program().read("one.html"), "run 1 ("));
}

TEST_F(ReportCommand, SaysThatARunHasNotEnded) {
  const std::string edit = R"( | sed 's/"status":"complete"/"status":"running"/')";
  ASSERT_EQ(program().run("export 1 --output all.json").exit, 0);
  ASSERT_EQ(program().shell("cat all.json" + edit + " > part.json").exit, 0);
  const Outcome imported = program().run("import part.json --db part.db");
  ASSERT_EQ(imported.exit, 0) << imported.err;
  ASSERT_EQ(program().run("report 1 --db part.db --out part.html").exit, 0);
  EXPECT_TRUE(holds(program().read("part.html"), "the run has not ended"));
  EXPECT_FALSE(holds(program().read("one.html"), "the run has not ended"));
}

TEST_F(ReportCommand, WritesThePageOfTwoRunsCompared) {
  const Outcome out = program().run("report --compare 1 2 --out two.html");
  EXPECT_EQ(out.exit, 0) << out.err;
  const std::string page = program().read("two.html");
  EXPECT_TRUE(holds(page, "Candidate: run 2 ("));
  EXPECT_TRUE(holds(page, "Baseline: run 1 ("));
  // 1k: 1.311 + 1.024 ms to 1.376 + 1.024 ms.
  EXPECT_TRUE(holds(
      page, "2 of 4 cases regressed: decode context 1k, pool_tokens 64k full_pool_cast +2.8 %"));
  EXPECT_TRUE(holds(page, "all of it in cast"));
}

TEST_F(ReportCommand, WritesTheIndexOfAllRunsAndAPageEach) {
  const Outcome out = program().run("report --site site");
  EXPECT_EQ(out.exit, 0) << out.err;
  EXPECT_EQ(out.out, "site/index.html\n");
  const std::string index = program().read("site/index.html");
  for (const char* page : {"run-1.html", "run-2.html", "compare-1-2.html"}) {
    EXPECT_TRUE(holds(index, std::string("href=\"") + page)) << page;
    EXPECT_TRUE(std::filesystem::exists(program().folder() / "site" / page)) << page;
  }
}

// Those of a site share what they are made of.
TEST_F(ReportCommand, WritesTheSamePagesForASiteAsAlone) {
  ASSERT_EQ(program().run("report --site shared").exit, 0);
  ASSERT_EQ(program().run("report 2 --out alone.html").exit, 0);
  ASSERT_EQ(program().run("report 2 --compare 1 --out compared.html").exit, 0);
  const auto before_footer = [](const std::string& page) {
    return page.substr(0, page.find("<footer>"));
  };
  EXPECT_EQ(before_footer(program().read("shared/run-2.html")),
            before_footer(program().read("alone.html")));
  EXPECT_EQ(before_footer(program().read("shared/compare-1-2.html")),
            before_footer(program().read("compared.html")));
}

TEST_F(ReportCommand, JudgesAPageAloneAsTheSiteDoesByWhatTheGatesAsk) {
  std::string config =
      std::string(kReportConfig) + "gates: [{workload: decode, metric: tpot_s, min_effect: 20%}]\n";
  for (const char* cast : {"20ns", "21ns"}) {
    config.replace(config.find("=") + 2, 4, cast);
    program().write("gated.yaml", config);
    ASSERT_EQ(program().run("run gated.yaml --db gated.db").exit, 0);
  }
  ASSERT_EQ(program().run("report --site gated --db gated.db").exit, 0);
  ASSERT_EQ(program().run("report 2 --compare 1 --out gated.html --db gated.db").exit, 0);
  const std::string site = program().read("gated/compare-1-2.html");
  EXPECT_TRUE(holds(site, "Nothing is shown to have changed"));
  EXPECT_EQ(site.substr(0, site.find("<footer>")),
            program().read("gated.html").substr(0, site.find("<footer>")));
}

TEST_F(ReportCommand, KeepsThePagesOfCompleteRunsUnlessAskedToRebuild) {
  ASSERT_EQ(program().run("report --site kept").exit, 0);
  program().write("kept/run-1.html", "mine");
  ASSERT_EQ(program().run("report --site kept").exit, 0);
  EXPECT_EQ(program().read("kept/run-1.html"), "mine");
  ASSERT_EQ(program().run("report --site kept --rebuild").exit, 0);
  EXPECT_NE(program().read("kept/run-1.html"), "mine");
}

TEST_F(ReportCommand, RepeatsACaseByTheCommandOfItsRow) {
  ASSERT_EQ(program().run("report 1 --out one.html").exit, 0);
  const std::string page = program().read("one.html");
  const std::string command =
      "bench run tiny.yaml --only decode/native_fp8 --set &#39;decode.context=[2k]&#39; --set "
      "&#39;decode.pool_tokens=[64k]&#39;";
  EXPECT_TRUE(holds(page, "<code>" + command + "</code>"));
  const Outcome plan = program().run(
      "run tiny.yaml --only decode/native_fp8 --set 'decode.context=[2k]' --set "
      "'decode.pool_tokens=[64k]' --dry-run");
  EXPECT_EQ(plan.exit, 0) << plan.err;
  EXPECT_TRUE(holds(plan.out, "1 case")) << plan.out;
}

struct Wrong {
  const char* arguments;
  const char* complaint;
};

TEST_F(ReportCommand, SaysInOneLineWhatIsWrong) {
  for (const auto& [arguments, complaint] :
       {Wrong{"report 9", "no run"}, Wrong{"report --compare 9", "no run"},
        Wrong{"report --compare 2 2", "run 2 is both sides"},
        Wrong{"report --site x --compare 1", "write one of them"},
        Wrong{"report 1 --site x", "takes every run"},
        Wrong{"report --site x --out y", "leave out --out"},
        Wrong{"report --rebuild", "only with --site"}, Wrong{"report --compare", "--compare"},
        Wrong{"report 1 2", "too many words"}}) {
    const Outcome out = program().run(arguments);
    EXPECT_EQ(out.exit, 2) << arguments;
    EXPECT_TRUE(holds(out.err, complaint)) << arguments << ": " << out.err;
    EXPECT_EQ(out.err.find('\n'), out.err.size() - 1) << arguments << ": " << out.err;
  }
}

TEST_F(ReportCommand, HelpHasAnExample) {
  const Outcome out = program().run("report --help");
  EXPECT_EQ(out.exit, 0);
  EXPECT_TRUE(holds(out.out, "bench report --compare pinned latest"));
}

TEST_F(ReportCommand, AFolderThatCannotBeMadeIsNamed) {
  program().write("file", "");
  const Outcome out = program().run("report --site file/site");
  EXPECT_EQ(out.exit, 2) << out.err;
  EXPECT_TRUE(holds(out.err, "file/site")) << out.err;
}

// Two users of a server that streams.
constexpr const char* kLiveConfig = R"(name: live
workloads:
  chat:
    runner: http
    endpoint: ${BENCH_ENDPOINT}
    replicates: 1
    requests: 6
    duration_s: 0
    warm_up_s: 0
    output_tokens: 16
    sweep: {concurrency: [1, 2], context: [64]}
)";

TEST(LiveReport, DrawsTheRequestsOfALiveServer) {
  BenchProgram program;
  program.write("live.yaml", kLiveConfig);
  const Outcome run = program.shell(
      "python3 " BENCH_STREAM_SERVER
      " > url & server=$!; trap 'kill $server' EXIT; until [ -s url ]; do sleep 0.05; done; "
      "BENCH_ENDPOINT=$(cat url) $BENCH run live.yaml && $BENCH report latest --out live.html");
  ASSERT_EQ(run.exit, 0) << run.out << run.err;
  const std::string page = program.read("live.html");
  EXPECT_TRUE(holds(page, "distribution of the time to first token"));
  EXPECT_TRUE(holds(page, "distribution of the gaps between tokens"));
  EXPECT_TRUE(holds(page, "100 % of 6 requests within"));
  EXPECT_TRUE(holds(page, "replicate 0: requests in flight"));
  EXPECT_TRUE(holds(page, "6 requests, none failed"));
}

TEST(Site, NinetyNightsSayWhatChangedWhenAndWhere) {
  BenchProgram program;
  fill_nights((program.folder() / "bench.db").string(), 90);
  const Outcome out = program.run("report --site site");
  ASSERT_EQ(out.exit, 0) << out.err;
  const std::string index = program.read("site/index.html");
  EXPECT_TRUE(holds(index, "1 of 6 cases regressed: single_stream context 16k native_fp8 +4."));
  EXPECT_TRUE(holds(index, "all of it in attention"));
  EXPECT_TRUE(holds(index, "native_fp8</a> tpot, ms: step at run 71 of 2026-11-08: +4."));
  EXPECT_TRUE(holds(index, "timeout: silent for 600 s"));
  EXPECT_LT(index.size(), 1000000U);
  for (int run = 1; run <= 90; ++run) {
    const std::string page = "run-" + std::to_string(run) + ".html";
    EXPECT_TRUE(holds(index, "href=\"" + page + "\""));
    EXPECT_TRUE(std::filesystem::exists(program.folder() / "site" / page));
  }
  EXPECT_TRUE(holds(program.read("site/compare-1-90.html"), "gpu0.driver<td>580.1<td>590.2"));
  if (const char* keep = std::getenv("BENCH_SCREENSHOTS"))
    std::filesystem::copy(program.folder() / "site", std::filesystem::path(keep) / "site",
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
}

}  // namespace
}  // namespace bench
