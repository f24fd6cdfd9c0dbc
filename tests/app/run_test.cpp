#include <gtest/gtest.h>

#include "tests/app/bench_program.h"

namespace bench {
namespace {

// The incident in miniature: a cast that costs 2 ns a slot of the pool, and a kernel that does not.
constexpr const char* kIncident = R"(
name: incident
workloads:
  pool_size:
    runner: fake
    variants: [full_pool_cast, native_fp8]
    baseline: full_pool_cast
    replicates: 3
    sweep: {pool_tokens: [64k, 128k], context: [4k]}
    script: >
      full_pool_cast = 2ns*pool_tokens@cast + 1us*context@attention;
      native_fp8 = 1us*context@attention
)";

TEST(Program, SaysWhatItIs) {
  const BenchProgram bench;
  const Outcome version = bench.run("--version");
  EXPECT_EQ(version.exit, 0) << version.err;
  EXPECT_EQ(version.out.find("bench "), 0U);
  EXPECT_NE(version.out.find("commit "), std::string::npos);
  EXPECT_NE(version.out.find("cpu (1 here)"), std::string::npos);
  EXPECT_EQ(bench.run("version").out, version.out);
  EXPECT_EQ(bench.run("-h").exit, 0);
}

TEST(Run, PrintsTheBeforeAndAfterTableAndStoresWhatItPrints) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  const Outcome run = bench.run("run incident.yaml");
  EXPECT_EQ(run.exit, 0) << run.err;
  // 64k: 0.131 + 4.096 ms against 4.096 ms; 128k: 0.262 + 4.096 ms.
  EXPECT_NE(run.out.find("4.227"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("4.358"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("4.096"), std::string::npos) << run.out;
  const Outcome show = bench.run("show latest");
  EXPECT_EQ(show.exit, 0) << show.err;
  EXPECT_NE(show.out.find("4.358"), std::string::npos) << show.out;
  EXPECT_NE(bench.read("incident-1.html").find("4.358"), std::string::npos);
}

TEST(Run, MakesTheFolderOfTheDefaultDatabase) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  const Outcome run = bench.shell("unset BENCH_DB BENCH_HOME; $BENCH run incident.yaml");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(bench.folder() / "results" / "bench.db"));
  const Outcome elsewhere = bench.run("run incident.yaml --db no/such.db");
  EXPECT_EQ(elsewhere.exit, 2);
  EXPECT_NE(elsewhere.err.find("does not exist"), std::string::npos) << elsewhere.err;
}

TEST(Run, RefusesMoreCasesThanOneRunCanHoldBeforeAnythingElse) {
  BenchProgram bench;
  std::string config = kIncident;
  const std::string axis = "context: [4k]";
  std::string contexts = "context: [1";
  for (int i = 2; i <= 3000; ++i) contexts += "," + std::to_string(i);
  config.replace(config.find(axis), axis.size(), contexts + "]");
  bench.write("many.yaml", config);
  const Outcome run = bench.run("run many.yaml");
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.err,
            "many.yaml: 12000 cases are more than the 5000 of one run (choose some with --only)\n");
  EXPECT_EQ(bench.run("run many.yaml --dry-run").exit, 0);
}

TEST(Run, FindsItsOwnConfigurationsByName) {
  const BenchProgram bench;
  const Outcome run = bench.run("run quickstart --dry-run");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("single_stream"), std::string::npos) << run.out;
}

TEST(Run, GivesTheFailureOfACaseItsReasonAndTheRunExitThree) {
  BenchProgram bench;
  std::string config = kIncident;
  config.replace(config.find("native_fp8 = 1us*context@attention"), 34, "native_fp8 = crash");
  bench.write("incident.yaml", config);
  const Outcome run = bench.run("run incident.yaml --replicates 1");
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.err.find("crashed: the worker died with signal 6"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("2 of 4 measurements failed"), std::string::npos) << run.out;
}

TEST(Run, LeavesTheExitCodeAloneWhenANegativeControlIsFoundIncorrect) {
  BenchProgram bench;
  std::string config = kIncident;
  config.replace(config.find("native_fp8 = 1us*context@attention"), 34, "native_fp8 = incorrect");
  bench.write("incident.yaml", config);
  EXPECT_EQ(bench.run("run incident.yaml --replicates 1").exit, 0);
}

TEST(Run, FailsWhenANegativeControlComesOutCorrect) {
  BenchProgram bench;
  std::string config = kIncident;
  config.replace(config.find("native_fp8 = 1us*context@attention"), 34,
                 "native_fp8 = incorrect; native_fp8#1 = 1ms");
  bench.write("incident.yaml", config);
  EXPECT_EQ(bench.run("run incident.yaml --replicates 2").exit, 3);
}

TEST(Run, GoesOnAfterAKillWithoutMeasuringAgainWhatIsStored) {
  BenchProgram bench;
  bench.write("incident.yaml",
              std::string(kIncident) + "      ; native_fp8#1 = hang\n    deadline: 8s\n");
  const Outcome killed = bench.shell(
      "$BENCH run incident.yaml & until grep -q 'replicate 2' err.txt; do sleep 0.05; done; kill "
      "-9 $!; wait $!");
  EXPECT_NE(killed.err.find("replicate 1: 4.096 ms"), std::string::npos) << killed.err;
  const Outcome resumed = bench.run("run incident.yaml --resume");
  EXPECT_EQ(resumed.exit, 3);  // what hangs times out, and the run says so
  EXPECT_EQ(resumed.err.find("replicate 1:"), std::string::npos) << resumed.err;
  EXPECT_NE(resumed.err.find("replicate 3: 4.096 ms"), std::string::npos) << resumed.err;
  EXPECT_NE(bench.run("list").out.find("complete, 2 failed"), std::string::npos);
  EXPECT_EQ(bench.run("run incident.yaml --resume").exit, 2);  // nothing is left to go on with
}

TEST(Run, ResumesOnlyWhatItSetOutToMeasure) {
  BenchProgram bench;
  bench.write("incident.yaml",
              std::string(kIncident) + "      ; native_fp8#1 = hang\n    deadline: 8s\n");
  const Outcome killed = bench.shell(
      "$BENCH run incident.yaml & until grep -q 'replicate 2' err.txt; do sleep 0.05; done; kill "
      "-9 $!; wait $!");
  for (const char* change : {"--replicates 1", "--replicates 5", "--only pool_size/native_fp8"}) {
    const Outcome resumed = bench.run("run incident.yaml --resume " + std::string(change));
    EXPECT_EQ(resumed.exit, 2) << change;
    EXPECT_NE(resumed.err.find("run 1 was begun with other"), std::string::npos) << resumed.err;
  }
  EXPECT_NE(bench.run("list").out.find("interrupted"), std::string::npos);
}

TEST(Run, TakesTheLockBeforeItMeasuresAnything) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  const Outcome run = bench.run("run incident.yaml --db absent/bench.db");
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.err.find("bandwidth"), std::string::npos) << run.err;
}

TEST(Run, MakesTheFolderOfADatabaseThatNobodyNamed) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  EXPECT_EQ(bench.shell("unset BENCH_DB BENCH_HOME; $BENCH run incident.yaml").exit, 0);
  EXPECT_TRUE(std::filesystem::exists(bench.folder() / "results" / "bench.db"));
}

TEST(Run, ShowsItsTableEvenWhenThePageCannotBeWritten) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  const Outcome run = bench.shell("mkdir incident-1.html; $BENCH run incident.yaml");
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.out.find("4.358"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("incident-1.html"), std::string::npos) << run.err;
}

TEST(Run, RefusesAVariantThatIsNearlyAnothersName) {
  BenchProgram bench;
  bench.write(
      "slip.yaml",
      "name: slip\nmodel: glm5\nworkloads:\n  w: {runner: kernel, layers: 1, tensor_parallel: "
      "8, variants: [fullpoolcast], sweep: {context: [64]}}\n");
  const Outcome run = bench.run("run slip.yaml");
  EXPECT_EQ(run.exit, 2);
  EXPECT_NE(run.err.find("w: no variant 'fullpoolcast' (did you mean 'full_pool_cast'?)"),
            std::string::npos)
      << run.err;
}

TEST(Run, RefusesASecondRunOnTheSameDatabase) {
  BenchProgram bench;
  bench.write("slow.yaml",
              std::string(kIncident) + "      ; native_fp8 = hang\n    deadline: 20s\n");
  bench.write("incident.yaml", kIncident);
  const Outcome second = bench.shell(
      "$BENCH run slow.yaml >/dev/null 2>&1 & sleep 1; $BENCH run incident.yaml; code=$?; kill -9 "
      "$!; exit $code");
  EXPECT_EQ(second.exit, 75) << second.err;
}

TEST(Run, MeasuresNothingForADryRun) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  const Outcome run = bench.run("run incident.yaml --dry-run");
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("4 cases"), std::string::npos) << run.out;
  EXPECT_FALSE(std::filesystem::exists(bench.folder() / "bench.db"));
}

TEST(CommandLine, SaysInOneLineWhatIsWrongAndExitsTwo) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  const auto complaint = [&](const std::string& arguments) {
    const Outcome outcome = bench.run(arguments);
    EXPECT_EQ(outcome.exit, 2) << arguments;
    return outcome.err;
  };
  EXPECT_EQ(complaint("rn"), "bench: no command 'rn' (did you mean 'run'?)\n");
  EXPECT_EQ(complaint("run incident.yaml --dryrun"),
            "bench run: unknown flag '--dryrun' (did you mean '--dry-run'?)\n");
  EXPECT_EQ(complaint("run"), "bench run: something is missing (write: bench run CONFIG)\n");
  EXPECT_EQ(complaint("run a b"), "bench run: too many words (write: bench run CONFIG)\n");
  EXPECT_EQ(complaint("run incident.yaml --replicates 0"),
            "--replicates: write a count from 1 to 1000\n");
  EXPECT_EQ(complaint("run incident.yaml --replicates 1e30"),
            "--replicates: '1e30' is too large\n");
  EXPECT_EQ(complaint("run incident.yaml --resume=false"), "bench run: --resume takes no value\n");
  EXPECT_EQ(complaint("run incident.yaml --db"),
            "bench run: --db needs a value (write: --db FILE)\n");
  EXPECT_EQ(complaint("run incident.yaml --db --resume"),
            "bench run: --db needs a value (write: --db FILE)\n");
  EXPECT_EQ(complaint("list x"), "bench list: takes flags only, no other words\n");
  EXPECT_NE(complaint("run absent.yaml").find("absent.yaml"), std::string::npos);
}

TEST(CommandLine, DoesNotPassOffAFullDiskAsSuccess) {
  BenchProgram bench;
  EXPECT_EQ(bench.shell("$BENCH help >/dev/full").exit, 3);
}

TEST(CommandLine, KeepsWhatItPrintsOutOfFilesWhenStandardOutputIsClosed) {
  BenchProgram bench;
  bench.write("incident.yaml", kIncident);
  EXPECT_EQ(bench.shell("$BENCH run incident.yaml >&-").exit, 0);
  EXPECT_EQ(bench.read("bench.db.lock").find("TPOT"), std::string::npos);
  EXPECT_NE(bench.run("show").out.find("4.358"), std::string::npos);
}

}  // namespace
}  // namespace bench
