#include <gtest/gtest.h>

#include <filesystem>

#include "tests/app/bench_program.h"

namespace bench {
namespace {

constexpr const char* kTonight = R"(
name: tonight
defaults: {runner: fake, replicates: 8, sampling: {min_samples: 20, max_samples: 20}}
workloads:
  decode:
    variants: [native_fp8]
    sweep: {context: [4k, 16k]}
    script: native_fp8 = 1us*context@attention ~0.5%
gates: [{workload: decode, metric: tpot_s, min_effect: 1%}]
alerts:
  - {file: told.txt}
  - {command: [sh, -c, "cat >told.json"], body: json}
  - {mail: "${TEAM}"}
)";

class Nightly : public testing::Test {
 protected:
  Nightly() {
    bench.write("tonight.yaml", kTonight);
    bench.write("sendmail", "#!/bin/sh\ncat >told.mail; echo \"$@\" >>told.mail\n");
    std::filesystem::permissions(bench.folder() / "sendmail", std::filesystem::perms::owner_all);
  }
  [[nodiscard]] Outcome nightly(const std::string& arguments,
                                const std::string& before = "") const {
    return bench.shell(before + "PATH=$PWD:$PATH TEAM=team@example.org $BENCH nightly " +
                       arguments);
  }
  BenchProgram bench;
};

TEST_F(Nightly, TellsByFileCommandAndMailWhatIsNewAndOnlyOnce) {
  const Outcome first = nightly("tonight.yaml --night 2026-11-01");
  EXPECT_EQ(first.exit, 3) << first.err;  // nothing to judge it by
  for (const char* name : {"told.txt", "told.json", "told.mail"}) {
    EXPECT_NE(bench.read(name).find("bench baseline accept 1"), std::string::npos) << name;
  }
  EXPECT_EQ(bench.read("told.json").rfind("{\"schema_version\":1,", 0), 0u);
  EXPECT_EQ(bench.read("told.mail").rfind("To: team@example.org\nSubject: bench: tonight on ", 0),
            0u);
  EXPECT_NE(bench.read("told.mail").find("\n-t -i\n"), std::string::npos);
  const std::string told = bench.read("told.txt");
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 0);
  EXPECT_EQ(bench.read("told.txt"), told);
  const Outcome again = nightly("tonight.yaml --night 2026-11-02");
  EXPECT_EQ(again.exit, 0);
  EXPECT_NE(again.out.find("night 2026-11-02 is done: run 2"), std::string::npos) << again.out;
}

TEST_F(Nightly, AnAlertThatCannotBeSentIsKeptAndMakesTheExitCodeSaySo) {
  bench.write("tonight.yaml", std::string(kTonight) + "  - {file: absent/told.txt}\n");
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  ASSERT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 3);
  const Outcome status = nightly("status tonight.yaml");
  EXPECT_NE(status.out.find("UNSENT  to file absent/told.txt (2 attempts)"), std::string::npos)
      << status.out;
  ASSERT_EQ(bench.shell("mkdir absent").exit, 0);
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-03").exit, 0);
  EXPECT_NE(bench.read("absent/told.txt").find("night 2026-11-01"), std::string::npos);
}

// What was stored before the disk was full is there afterwards, whichever write it was.
TEST_F(Nightly, AFullDiskAtAnyWriteLosesNothingCompleted) {
  long measured = 0;
  for (const int blocks : {16, 260, 480, 500, 520}) {
    const Outcome cut =
        nightly("tonight.yaml --night 2026-11-01", "ulimit -f " + std::to_string(blocks) + "; ");
    EXPECT_NE(cut.exit, 0);
    EXPECT_NE(cut.exit, -1) << "killed at " << blocks;
    if (!std::filesystem::exists(bench.folder() / "bench.db")) continue;
    const Outcome sound = bench.shell("$BENCH list && $BENCH backup copy.db && rm -f copy.db");
    EXPECT_EQ(sound.exit, 0) << blocks << ": " << sound.err;
    const Outcome count = bench.shell(
        "python3 -c \"import sqlite3;print(sqlite3.connect('bench.db').execute('SELECT count(*) "
        "FROM measurements').fetchone()[0])\"");
    const long now = count.out.empty() ? 0 : std::stol(count.out);
    EXPECT_GE(now, measured) << blocks;
    measured = now;
  }
  EXPECT_GT(measured, 0);
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 3);
  EXPECT_EQ(bench.shell("ls | grep -c 'partial\\|reserve'").out, "0\n");
}

TEST_F(Nightly, ItsUnitsAreSoundAndGoAgainWithoutATrace) {
  if (bench.shell("command -v systemd-analyze").exit != 0) GTEST_SKIP() << "no systemd-analyze";
  for (const std::string user : {"", " --user"}) {
    const std::string flags = " tonight.yaml --units units --at 03:15" + user;
    const Outcome installed = nightly("install" + flags);
    ASSERT_EQ(installed.exit, 0) << installed.err;
    const Outcome verified = bench.shell("XDG_RUNTIME_DIR=$PWD systemd-analyze --man=no" + user +
                                         " verify units/*.timer units/*.service");
    EXPECT_EQ(verified.exit, 0) << verified.err;
    EXPECT_EQ(verified.err.find("units/"), std::string::npos) << verified.err;
    const std::string timer = bench.read("units/bench-nightly-tonight.timer");
    EXPECT_NE(timer.find("OnCalendar=*-*-* 03:15:00\n"), std::string::npos);
    EXPECT_NE(timer.find("Persistent=true\n"), std::string::npos);
    EXPECT_NE(bench.read("units/bench-nightly-tonight.service").find("OnFailure="),
              std::string::npos);
    EXPECT_EQ(nightly("uninstall" + flags).exit, 0);
    EXPECT_EQ(bench.shell("ls units").out, "");
  }
}

TEST_F(Nightly, StatusSaysWhatIsMissing) {
  const Outcome never = nightly("status tonight.yaml --units units");
  EXPECT_EQ(never.exit, 3);
  EXPECT_NE(never.out.find("not scheduled"), std::string::npos) << never.out;
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  const Outcome old = nightly("status tonight.yaml --units units");
  EXPECT_EQ(old.exit, 3);
  EXPECT_NE(old.out.find("last    night 2026-11-01: judged, run 1, exit 3\nMISSING night "),
            std::string::npos)
      << old.out;
}

TEST_F(Nightly, BadInputIsOneLine) {
  bench.write("no_gates.yaml",
              std::string(kTonight).substr(0, std::string(kTonight).find("gates")));
  bench.write("slack.yaml",
              std::string(kTonight) + "  - {webhook: \"https://hooks.slack.com/x\"}\n");
  const struct {
    const char* arguments;
    const char* complaint;
  } wrong[] = {
      {"no_gates.yaml", "a nightly run needs `gates:`"},
      {"slack.yaml", "this URL is a secret"},
      {"tonight.yaml --night 2026-02-30", "'2026-02-30' is no date"},
      {"tonight.yaml --at 25:00", "'25:00' is no time"},
      {"instal tonight.yaml", "no word 'instal'"},
      {"install", "name the CONFIG"},
  };
  for (const auto& [arguments, complaint] : wrong) {
    const Outcome outcome = nightly(arguments);
    EXPECT_EQ(outcome.exit, 2) << arguments;
    EXPECT_NE(outcome.err.find(complaint), std::string::npos) << arguments << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace bench
