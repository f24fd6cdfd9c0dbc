#include <gtest/gtest.h>

#include <array>

#include "tests/app/bench_program.h"

namespace bench {
namespace {

// Two cases whose replicates scatter by about 0.1 %, so that no draw of the noise comes near the 1
// % that is asked. `cast` is a tenth of the first one's step.
std::string night(const std::string& cast) {
  return R"(
name: night
defaults:
  runner: fake
  replicates: 8
  sampling: {min_samples: 20, max_samples: 20}
workloads:
  decode:
    variants: [native_fp8]
    sweep: {context: [4k, 16k]}
    script: native_fp8 = 1us*context@attention + )" +
         cast + R"(@cast ~0.3%
gates:
  - {workload: decode, metric: tpot_s, min_effect: 1%}
)";
}

class Nights : public testing::Test {
 protected:
  // Measures a night whose cast takes this long.
  void measure(const std::string& cast) const {
    bench.write("night.yaml", night(cast));
    ASSERT_EQ(bench.run("run night.yaml").exit, 0);
  }
  BenchProgram bench;
};

TEST_F(Nights, ComparingEqualNightsIsFineAndASlowerStageIsFound) {
  measure("400us");
  measure("400us");
  const Outcome same = bench.run("compare 1 2 --strict");
  EXPECT_EQ(same.exit, 0) << same.out;
  EXPECT_NE(same.out.find("2 unchanged"), std::string::npos) << same.out;
  measure("700us");  // 6.7 % of the step at 4k, 1.8 % at 16k
  const Outcome slower = bench.run("compare 1 3");
  EXPECT_EQ(slower.exit, 1) << slower.out;
  EXPECT_NE(slower.out.find("cast +0."), std::string::npos) << slower.out;
  EXPECT_EQ(bench.run("compare 3 1").exit, 0);  // faster is no regression
  EXPECT_EQ(bench.run("compare 1 3 --min-effect 20%").exit, 0);
}

TEST_F(Nights, EveryFormatSaysTheSame) {
  measure("400us");
  measure("800us");
  for (const char* form : {"text", "markdown", "json", "csv", "junit"}) {
    const Outcome out = bench.run(std::string("compare 1 2 --format ") + form + " --output out");
    EXPECT_EQ(out.exit, 1) << form;
    EXPECT_TRUE(out.out.empty());
    EXPECT_NE(bench.read("out").find("regressed"), std::string::npos) << form;
  }
  EXPECT_EQ(bench.run("compare 1 2 --format html").exit, 2);
  EXPECT_EQ(bench.run("compare 1 9").exit, 2);
  EXPECT_EQ(bench.run("compare 1 2 --metric tpots").exit, 2);
}

TEST_F(Nights, TheGatePassesEqualNightsAndFailsASlowerOne) {
  measure("400us");
  EXPECT_EQ(bench.run("gate").exit, 3);                    // no baseline is pinned
  EXPECT_EQ(bench.run("baseline accept latest").exit, 2);  // says no reason
  EXPECT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  EXPECT_EQ(bench.run("gate").exit, 3);  // nothing newer was measured
  measure("400us");
  const Outcome fine = bench.run("gate --max-age 1h");
  EXPECT_EQ(fine.exit, 0) << fine.out << fine.err;
  EXPECT_EQ(bench.run("gate --max-age 1ns").exit, 3);  // the night's run never started
  measure("800us");
  EXPECT_EQ(bench.run("gate").exit, 1);
  EXPECT_EQ(bench.run("gate --against previous").exit, 1);
  // The slower run did not become the baseline by itself.
  EXPECT_NE(bench.run("baseline").out.find("run     1"), std::string::npos);
}

TEST_F(Nights, TheGateDoesNotPassWhatItCouldNotJudge) {
  bench.write("night.yaml", night("400us"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(bench.run("run night.yaml --replicates 3").exit, 0);
  EXPECT_EQ(bench.run("baseline accept 1 --notes few").exit, 3);  // nothing could be judged by it
  EXPECT_EQ(bench.run("baseline accept 1 --notes few --anyway").exit, 0);
  const Outcome few = bench.run("gate");
  EXPECT_EQ(few.exit, 3) << few.out;
  EXPECT_NE(few.out.find("2 inconclusive"), std::string::npos) << few.out;
  measure("400us");
  EXPECT_EQ(bench.run("baseline accept latest --notes more").exit, 0);
  std::string crashing = night("400us");
  crashing.insert(crashing.find(" ~0.3%"), " ~0.3%; native_fp8#5 = crash; native_fp8#9 = 1ms");
  bench.write("night.yaml", crashing);
  EXPECT_EQ(bench.run("run night.yaml").exit, 3);
  EXPECT_EQ(bench.run("gate").exit, 3);
  std::string fewer = night("400us");
  fewer.replace(fewer.find("[4k, 16k]"), 9, "[4k]");
  bench.write("night.yaml", fewer);
  EXPECT_EQ(bench.run("run night.yaml").exit, 0);
  const Outcome missing = bench.run("gate");
  EXPECT_EQ(missing.exit, 3);
  EXPECT_NE(missing.out.find("only in the baseline"), std::string::npos) << missing.out;
}

// A second workload with a gate of its own, whose only point may be left out.
std::string two_gates(const std::string& skip) {
  std::string text = night("400us");
  text.insert(text.find("gates:"), R"(
  prefill:
    variants: [native_fp8]
    sweep: {context: [8k]}
    script: native_fp8 = 1us*context
)" + skip);
  return text + "  - {workload: prefill, metric: tpot_s, min_effect: 1%}\n";
}

TEST_F(Nights, ABaselineThatLacksAGatesWorkloadIsRefused) {
  bench.write("night.yaml", two_gates(""));
  ASSERT_EQ(bench.run("run night.yaml --only decode").exit, 0);
  const Outcome refused = bench.run("baseline accept latest --notes first");
  EXPECT_EQ(refused.exit, 3);
  EXPECT_EQ(refused.err,
            "run 1 would leave 1 of 2 gates without an answer:\n"
            "  the gate on tpot_s of prefill: no case of it is in the run\n"
            "accept a run that measured them; --anyway accepts this one\n");
  EXPECT_EQ(bench.run("baseline").out, "");
  EXPECT_EQ(bench.run("baseline accept latest --notes first --anyway").exit, 0);
  ASSERT_EQ(bench.run("run night.yaml").exit, 0);
  EXPECT_EQ(bench.run("gate").exit, 3);  // has no answer, as was said
  EXPECT_EQ(bench.run("baseline accept latest --notes whole").err, "");
}

TEST_F(Nights, ABaselineThatLacksAVariantOfAGateIsRefused) {
  std::string both = night("400us");
  both.replace(both.find("[native_fp8]"), 12, "[native_fp8, gather_cast]");
  bench.write("night.yaml", both.insert(both.find("gates:"), "      ; gather_cast = 1ms\n"));
  ASSERT_EQ(bench.run("run night.yaml --only decode/gather_cast").exit, 0);
  const Outcome refused = bench.run("baseline accept latest --notes first");
  EXPECT_EQ(refused.exit, 3);
  EXPECT_NE(refused.err.find("the gate on tpot_s of decode: native_fp8 is not in the run"),
            std::string::npos)
      << refused.err;
  ASSERT_EQ(bench.run("run night.yaml").exit, 0);
  EXPECT_EQ(bench.run("baseline accept latest --notes whole").err, "");
}

TEST_F(Nights, AGateWhoseCasesAreLeftOutOnPurposeIsAWarningToItsBaseline) {
  bench.write("night.yaml", two_gates("    skip: [{context: 8k, reason: too slow here}]\n"));
  ASSERT_EQ(bench.run("run night.yaml").exit, 0);
  const Outcome accepted = bench.run("baseline accept latest --notes first");
  EXPECT_EQ(accepted.exit, 0);
  EXPECT_EQ(accepted.err,
            "warning: the gate on tpot_s of prefill: skipped: too slow here; it has no answer "
            "while that is so\n");
  ASSERT_EQ(bench.run("run night.yaml").exit, 0);
  const Outcome gate = bench.run("gate");
  EXPECT_EQ(gate.exit, 3);
  EXPECT_NE(gate.out.find("the gate on tpot_s of prefill judged no case: skipped: too slow here"),
            std::string::npos)
      << gate.out;
}

TEST_F(Nights, AVariantThatThisMachineDoesNotHaveIsAWarningToo) {
  bench.write("gpu.yaml", R"(
name: gpu
defaults: {runner: kernel, device: cpu, layers: 1, replicates: 1}
workloads:
  decode: {variants: [only_on_a_gpu], context: 128, pool_tokens: 1024}
gates: [{workload: decode, metric: tpot_s, min_effect: 1%}]
)");
  const Outcome run = bench.run("run gpu.yaml");
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome accepted = bench.run("baseline accept latest --notes first");
  EXPECT_EQ(accepted.exit, 0);
  EXPECT_NE(accepted.err.find("the gate on tpot_s of decode: skipped: no variant 'only_on_a_gpu' "
                              "on cpu; it has no"),
            std::string::npos)
      << accepted.err;
}

TEST_F(Nights, HistoryShowsTheSeriesOfACase) {
  measure("400us");
  measure("410us");
  const Outcome both = bench.run("history native_fp8");
  EXPECT_EQ(both.exit, 2);  // two cases match
  EXPECT_NE(both.err.find("context=16384"), std::string::npos) << both.err;
  const Outcome one = bench.run("history context=16384");
  EXPECT_EQ(one.exit, 0) << one.err;
  EXPECT_NE(one.out.find("decode: 2 runs"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("no lasting change"), std::string::npos);
  EXPECT_TRUE(bench.run("history context=16384 --format json").out.starts_with("{\"schema_"));
  EXPECT_EQ(bench.run("history nothing").exit, 2);
}

TEST(Compare, JudgesTheVariantsOfOneRun) {
  BenchProgram bench;
  bench.write("incident.yaml", R"(
name: incident
defaults: {runner: fake, replicates: 8, sampling: {min_samples: 20, max_samples: 20}}
workloads:
  pool_size:
    variants: [full_pool_cast, native_fp8]
    baseline: full_pool_cast
    sweep: {pool_tokens: [64k], context: [4k]}
    script: full_pool_cast = 20ns*pool_tokens@cast + 1us*context@attention ~0.3%; native_fp8 = 1us*context@attention ~0.3%
)");
  ASSERT_EQ(bench.run("run incident.yaml").exit, 0);
  const Outcome out = bench.run("compare latest");
  EXPECT_EQ(out.exit, 0) << out.err;
  EXPECT_NE(out.out.find("1 improved"), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("native_fp8 against"), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("cast -1.3"), std::string::npos) << out.out;
}

TEST(Ab, TellsTwoCommandsApartAndExitsWithARegression) {
  BenchProgram bench;
  const Outcome out = bench.run("ab --a true --b 'sleep 1' --pairs 16 --seed 1");
  EXPECT_EQ(out.exit, 1) << out.err;
  EXPECT_NE(out.out.find("1 regressed"), std::string::npos) << out.out;
  EXPECT_EQ(bench.run("ab --a 'exit 4' --b true --pairs 8").exit, 3);
  EXPECT_EQ(bench.run("ab --a true").exit, 2);
}

TEST(Flags, ABadValueIsRefusedByItsFlagBeforeAnythingIsMeasured) {
  BenchProgram bench;
  const std::array<std::array<const char*, 2>, 11> cases{{
      {"compare 1 2 --min-effect abc", "--min-effect: 'abc' is not a fraction (write 2%, 0.02)"},
      {"compare 1 2 --min-effect 2", "--min-effect: write a fraction below 1, such as 2%"},
      {"compare 1 2 --metric tpot", "--metric: no metric 'tpot' (did you mean 'tpot_s'?)"},
      {"history x --metric tpot", "--metric: no metric 'tpot' (did you mean 'tpot_s'?)"},
      {"history x --last 0", "--last: write a count from 1"},
      {"ab --a true --b true --metric tpot", "--metric: no metric 'tpot'"},
      {"ab --a true --b true --pairs few", "--pairs: 'few' is not a count"},
      {"ab --a true --b true --time soon", "--time: 'soon' is not a time"},
      {"run x.yaml --replicates 0", "--replicates: write a count from 1 to 1000"},
      {"prune --older-than never", "--older-than: 'never' is not a time"},
      {"trace x --active -", "--active: '-' is not a count"},
  }};
  bench.write("x.yaml", night("400us"));
  for (const auto& [command, words] : cases) {
    const Outcome out = bench.run(command);
    EXPECT_EQ(out.exit, 2) << command;
    EXPECT_EQ(out.err.rfind(words, 0), 0U) << command << "\n" << out.err;
  }
}

TEST(Ab, InterleavesConfigurationsUntilTheVerdictIsClear) {
  BenchProgram bench;
  bench.write("a.yaml", night("400us"));
  bench.write("b.yaml", night("2ms"));
  const Outcome out = bench.run("ab --a a.yaml --b b.yaml --format json");
  EXPECT_EQ(out.exit, 1) << out.err;
  EXPECT_NE(out.out.find("\"replicates\":[8,8]"), std::string::npos) << out.out;
  EXPECT_EQ(bench.run("ab --a a.yaml --b true").exit, 2);
}

}  // namespace
}  // namespace bench
