#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/app/bench_program.h"

namespace bench {
namespace {

constexpr const char* kNight = R"(
name: night
defaults:
  runner: fake
  replicates: 2
  sampling: {min_samples: 20, max_samples: 20}
workloads:
  decode:
    variants: [native_fp8]
    sweep: {context: [4k, 16k]}
    script: native_fp8 = 1us*context@attention ~1%
)";

class StoredRun : public testing::Test {
 protected:
  StoredRun() {
    bench.write("night.yaml", kNight);
    EXPECT_EQ(bench.run("run night.yaml").exit, 0);
  }
  BenchProgram bench;
};

TEST_F(StoredRun, ExportedAndImportedElsewhereIsTheSameRun) {
  EXPECT_EQ(bench.run("export latest --output run.json").exit, 0);
  const Outcome read = bench.run("import run.json --db other.db");
  EXPECT_EQ(read.exit, 0) << read.err;
  EXPECT_EQ(read.out.rfind("run 1: night of ", 0), 0u) << read.out;
  EXPECT_NE(read.out.find("2 cases, 4 measurements"), std::string::npos) << read.out;
  EXPECT_EQ(bench.run("export 1 --db other.db").out, bench.read("run.json"));
  EXPECT_EQ(bench.run("compare 1 1 --db other.db").out, bench.run("compare 1 1").out);
  EXPECT_EQ(bench.run("import run.json --db other.db").out, read.out);  // again: nothing new
}

TEST_F(StoredRun, WithoutSamplesIsShorterAndComparesAlike) {
  EXPECT_EQ(bench.run("export latest").out.find("\"samples_s\":[]"), std::string::npos);
  EXPECT_EQ(bench.run("export latest --no-samples --output short.json").exit, 0);
  EXPECT_NE(bench.read("short.json").find("\"samples_s\":[]"), std::string::npos);
  EXPECT_LT(bench.read("short.json").size(), bench.run("export latest").out.size());
  EXPECT_EQ(bench.run("import short.json --db other.db").exit, 0);
  EXPECT_EQ(bench.run("compare 1 1 --db other.db").out, bench.run("compare 1 1").out);
}

TEST_F(StoredRun, DatabasesOfTwoHostsMergeWithoutDoubling) {
  ASSERT_EQ(bench.run("run night.yaml --db other.db").exit, 0);
  EXPECT_EQ(bench.run("merge other.db").out, "added 1 runs and 4 measurements\n");
  EXPECT_EQ(bench.run("merge other.db").out, "added 0 runs and 0 measurements\n");
  EXPECT_EQ(bench.run("compare 1 2").exit, 0);
}

TEST_F(StoredRun, PruningThinsSamplesAndKeepsVerdicts) {
  const std::string before = bench.run("compare 1 1").out;
  EXPECT_EQ(bench.run("prune --older-than 1h").out.rfind("thinned 0 measurements", 0), 0u);
  EXPECT_EQ(bench.run("prune --older-than 1ns --keep-samples 5").out.rfind("thinned 4 ", 0), 0u);
  EXPECT_EQ(bench.run("prune --older-than 1ns --keep-samples 5").out.rfind("thinned 0 ", 0), 0u);
  EXPECT_EQ(bench.run("compare 1 1").out, before);
}

TEST_F(StoredRun, APruningIsShownBeforehandAndChangesNothing) {
  const std::string before = bench.run("export latest").out;
  const Outcome shown = bench.run("prune --older-than 1ns --dry-run");
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_NE(shown.out.find("would thin 4 measurements of 1 runs and free 640"), std::string::npos)
      << shown.out;
  EXPECT_EQ(bench.run("export latest").out, before);
  EXPECT_NE(bench.run("prune night.yaml --dry-run").out.find("would thin 0 "), std::string::npos);
}

TEST_F(StoredRun, ABackupIsWholeAndOverwritesNothing) {
  const Outcome copied = bench.run("backup copy.db");
  EXPECT_EQ(copied.out.rfind("copy.db: 1 runs, ", 0), 0u) << copied.out << copied.err;
  EXPECT_EQ(bench.run("export 1 --db copy.db").out, bench.run("export 1").out);
  EXPECT_EQ(bench.run("backup copy.db").exit, 2);
}

TEST_F(StoredRun, BadInputIsOneLineAndNothingIsTouched) {
  bench.write("half.json", bench.run("export latest").out.substr(0, 500));
  bench.write("other.json", "{\"answer\": 42}");
  bench.write("corrupt.db", "this is no database at all");
  std::string newer = bench.run("export latest").out;
  newer.replace(newer.find("\"schema_version\":1"), 18, "\"schema_version\":9");
  bench.write("newer.json", newer);
  const struct {
    const char* arguments;
    const char* complaint;
  } wrong[] = {
      {"import half.json", "half.json:"},
      {"import other.json", "other.json holds no run"},
      {"import newer.json", "a bench that reads exports of version 9"},
      {"import absent.json", "absent.json cannot be read"},
      {"import", "something is missing (write: bench import FILE)"},
      {"merge corrupt.db", "corrupt.db is no bench database"},
      {"merge absent.db", "absent.db"},
      {"export 7", "7"},
      {"export latest --db corrupt.db", "corrupt.db is no bench database"},
      {"prune", "--older-than is needed"},
      {"prune --older-than soon", "soon"},
      {"prune --older-than 30d --db absent.db", "absent.db"},
  };
  const std::string list = bench.run("list").out;
  for (const auto& [arguments, complaint] : wrong) {
    const Outcome outcome = bench.run(arguments);
    EXPECT_EQ(outcome.exit, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(complaint), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(bench.run("list").out, list);
  EXPECT_EQ(bench.read("corrupt.db"), "this is no database at all");
  EXPECT_FALSE(std::filesystem::exists(bench.folder() / "absent.db"));
}

TEST(DataCommands, HelpHasAnExampleOfEach) {
  BenchProgram bench;
  for (const char* command : {"import", "export", "merge", "prune", "backup"}) {
    const Outcome help = bench.run(std::string(command) + " --help");
    EXPECT_EQ(help.exit, 0);
    EXPECT_NE(help.out.find(std::string("  bench ") + command + " "), std::string::npos);
  }
  const std::string usage = "Usage:\n  bench backup FILE [FLAGS]\n";
  EXPECT_NE(bench.run("backup --help").out.find(usage), std::string::npos);
}

TEST(DataCommands, ResultsOfGoogleBenchmarkAreComparedLikeAnyOther) {
  BenchProgram bench;
  for (const char* name : {"before", "after"}) {
    std::string text = "{\"context\": {\"date\": \"2026-11-29T22:00:51+01:00\", \"host_name\": \"";
    text += "box\", \"executable\": \"micro\", \"num_cpus\": 2}, \"benchmarks\": [";
    for (int i = 0; i < 8; ++i) {
      const int time = 1000 + i % 3 + (std::string(name) == "after" ? 100 : 0);
      text += std::string(i > 0 ? ", " : "") +
              "{\"name\": \"f\", \"run_name\": \"f\", \"run_type\": \"iteration\", "
              "\"repetitions\": 8, \"repetition_index\": " +
              std::to_string(i) + ", \"iterations\": 9, \"real_time\": " + std::to_string(time) +
              ", \"cpu_time\": 1, \"time_unit\": \"ns\"}";
    }
    bench.write(std::string(name) + ".json", text + "]}");
    ASSERT_EQ(bench.run(std::string("import ") + name + ".json").exit, 0);
  }
  const Outcome out = bench.run("compare 1 2");
  EXPECT_EQ(out.exit, 1) << out.out << out.err;
  EXPECT_NE(out.out.find("+10.0 %"), std::string::npos) << out.out;
}

// A database that its reader may not write, in a folder that he may not write either: by another
// user where the tests are root's, else by a mount.
class ReadOnly : public testing::Test {
 protected:
  ReadOnly() {
    bench.write("night.yaml", kReadOnly);
    EXPECT_EQ(bench.shell("mkdir db && chmod 777 .").exit, 0);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(bench.run("run night.yaml --db db/bench.db").exit, 0);
    EXPECT_EQ(bench.run("baseline accept 1 --notes first --db db/bench.db").exit, 0);
    EXPECT_EQ(bench.run("export 1 --db db/bench.db --output run.json").exit, 0);
    EXPECT_EQ(bench.shell("cp db/bench.db run.db; chmod 444 db/*; chmod 555 db").exit, 0);
    for (const char* way : {"", "setpriv --reuid=65534 --regid=65534 --clear-groups ",
                            "unshare -m sh -c 'mount --bind db db && mount -o remount,ro,bind db "
                            "&& exec \"$@\"' . "}) {
      const std::string tried = way;
      if (bench.shell(tried + "$BENCH version && ! " + tried + "touch db/x").exit != 0) continue;
      reader = tried;
      break;
    }
  }
  ~ReadOnly() override { std::filesystem::permissions(bench.folder() / "db", kAll); }

  void SetUp() override {
    if (!reader) GTEST_SKIP() << "root may write everything here, and cannot be another user";
  }
  [[nodiscard]] Outcome read(const std::string& arguments) const {
    return bench.shell(*reader + "$BENCH " + arguments + " --db db/bench.db");
  }

  static constexpr auto kAll = std::filesystem::perms::owner_all;
  static constexpr const char* kReadOnly = R"(
name: night
defaults: {runner: fake, replicates: 8, sampling: {min_samples: 20, max_samples: 20}}
workloads: {decode: {variants: [a], context: 4k, script: a = 1us*context ~0.2%}}
gates: [{workload: decode, metric: tpot_s, min_effect: 1%}]
)";
  BenchProgram bench;
  std::optional<std::string> reader;
};

TEST_F(ReadOnly, IsReadByAllThatOnlyRead) {
  for (const char* command : {"compare 1 2", "gate", "report", "report --site site", "history a",
                              "export latest", "baseline", "list", "show",
                              "nightly status night.yaml", "prune --older-than 1ns --dry-run"}) {
    const Outcome out = read(command);
    EXPECT_EQ(out.err, "") << command;
    EXPECT_FALSE(out.out.empty()) << command;
  }
  EXPECT_EQ(read("report").out, "night-2.html\n");  // not beside the database, as else
  EXPECT_TRUE(bench.read("night-2.html").starts_with("<!DOCTYPE"));
  const Outcome doctor = read("doctor night.yaml");
  EXPECT_NE(doctor.out.find("database"), std::string::npos) << doctor.out;
  EXPECT_NE(doctor.out.find("db/bench.db cannot be written ("), std::string::npos) << doctor.out;
}

TEST_F(ReadOnly, IsNamedBeforeAnythingIsMeasured) {
  for (const char* command : {"run night.yaml", "import run.json", "baseline accept 2 --notes x",
                              "prune --older-than 1ns", "merge run.db", "nightly night.yaml"}) {
    const Outcome out = read(command);
    EXPECT_EQ(out.exit, 2) << command;
    EXPECT_EQ(out.out, "") << command;
    EXPECT_NE(out.err.find("db/bench.db cannot be written ("), std::string::npos) << out.err;
    EXPECT_EQ(out.err.find('\n'), out.err.size() - 1) << out.err;
  }
}

}  // namespace
}  // namespace bench
