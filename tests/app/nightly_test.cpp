#include "tests/app/nightly.h"

namespace bench {
namespace {

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

// python3 with the database open as `db`.
std::string sql(const std::string& statements) {
  return "python3 -c \"import sqlite3;db=sqlite3.connect('bench.db');" + statements +
         ";db.commit()\"";
}

// As if it was killed between the last measurement and the verdict.
constexpr const char* kNotJudged =
    "db.execute('UPDATE nights SET state=\\'running\\', exit=NULL "
    "WHERE night=\\'2026-11-02\\'')";

TEST_F(Nightly, ANightThatIsMeasuredIsOnlyJudged) {
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  ASSERT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 0);
  const std::string runs = "print(db.execute('SELECT count(*) FROM runs').fetchone()[0])";
  ASSERT_EQ(bench.shell(sql(kNotJudged)).exit, 0);
  const Outcome judged = nightly("tonight.yaml --night 2026-11-02");
  EXPECT_EQ(judged.exit, 0) << judged.err;
  EXPECT_NE(judged.out.find("run 2 is whole: it is only judged"), std::string::npos) << judged.out;
  EXPECT_EQ(bench.shell(sql(runs)).out, "2\n");
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02 --again").exit, 0);
  EXPECT_EQ(bench.shell(sql(runs)).out, "3\n");
}

TEST_F(Nightly, AChangeThatIsNotSeenAgainIsNotTold) {
  const auto taking = [](const std::string& time) {
    return std::string(kTonight).replace(std::string(kTonight).find("1us"), 3, time);
  };
  // A night as one that took `time` only while it was measured at first.
  const auto at_first = [&](const std::string& time, const std::string& later,
                            const std::string& date) {
    bench.write("tonight.yaml", taking(time));
    ASSERT_EQ(bench.run("run tonight.yaml --tag night-" + date).exit, 0);
    bench.write("tonight.yaml", taking(later));
    ASSERT_EQ(bench
                  .shell(sql("db.execute('UPDATE runs SET plan_source=? WHERE id=(SELECT max(id) "
                             "FROM runs)', [open('tonight.yaml').read()])"))
                  .exit,
              0);
  };
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  ASSERT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  const std::string told = bench.read("told.txt");
  at_first("1030ns", "1us", "2026-11-02");
  const Outcome night = nightly("tonight.yaml --night 2026-11-02");
  EXPECT_EQ(night.exit, 0) << night.out << night.err;
  EXPECT_NE(night.out.find("measured again: 2 verdicts, 2 of them gone"), std::string::npos)
      << night.out;
  EXPECT_EQ(bench.read("told.txt"), told);
  EXPECT_NE(nightly("status tonight.yaml").out.find("noisy: 2 verdicts gone"), std::string::npos);
  // That it is known to be faster does not make it known to be slower.
  bench.write("tonight.yaml", taking("950ns"));
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-03").exit, 0);
  at_first("1050ns", "950ns", "2026-11-04");
  const Outcome after = nightly("tonight.yaml --night 2026-11-04");
  EXPECT_NE(after.out.find("measured again: "), std::string::npos) << after.out;
  EXPECT_EQ(bench.read("told.txt").find("regression:"), std::string::npos);
}

// The first night is of another program (a byte is added to it); it is there on the second one.
// There a script stands in for it, which sees `seen` where the configuration says 1030ns.
std::string second_night(BenchProgram& bench, const std::string& seen) {
  const auto night = [&](const std::string& program, const std::string& date) {
    return bench.shell("TEAM=x PATH=$PWD:$PATH " + program + " nightly tonight.yaml --night " +
                       date);
  };
  EXPECT_EQ(bench.shell("cp $BENCH old && echo >>old").exit, 0);
  EXPECT_EQ(night("./old", "2026-11-01").exit, 3);
  EXPECT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  EXPECT_EQ(bench
                .shell("old=$(ls binaries/bench-*) && printf '#!/bin/sh\nsed -u s/1030ns/" + seen +
                       "/g | %s worker\n' $BENCH >script && chmod +x script && mv script $old")
                .exit,
            0);
  std::string slow = kTonight;
  bench.write("tonight.yaml", slow.replace(slow.find("1us"), 3, "1030ns"));
  const Outcome second = night("$BENCH", "2026-11-02");
  EXPECT_EQ(second.exit, 1) << second.out << second.err;
  EXPECT_NE(second.err.find("[32/32]"), std::string::npos) << second.err;  // both, interleaved
  return second.out;
}

TEST_F(Nightly, AChangeOfTheProgramIsSeenBesideTheProgramBefore) {
  const std::string out = second_night(bench, "1000ns");
  EXPECT_NE(out.find("2 regression"), std::string::npos) << out;
  EXPECT_NE(out.find("by the program: the one before"), std::string::npos) << out;
}

TEST_F(Nightly, AChangeOfTheMachineIsToldThoughTheProgramBeforeShowsItToo) {
  const std::string out = second_night(bench, "1030ns");
  EXPECT_NE(out.find("2 regression"), std::string::npos) << out;
  EXPECT_NE(out.find("by the machine: the program before"), std::string::npos) << out;
}

// The times of a control and of what is judged.
std::string beside_a_control(const std::string& control, const std::string& judged) {
  return "name: tonight\n"
         "defaults: {runner: fake, replicates: 8, sampling: {min_samples: 20, max_samples: 20}}\n"
         "workloads:\n  decode:\n    variants: [full_pool_cast, native_fp8]\n    context: 4k\n"
         "    script: full_pool_cast = " +
         control + "@cast ~0.2%; native_fp8 = " + judged +
         "@attention ~0.2%\n"
         "gates: [{workload: decode, metric: tpot_s, min_effect: 1%, relative_to: "
         "full_pool_cast}]\nalerts: [{file: told.txt}]\n";
}

TEST_F(Nightly, JudgesWhatIsRelativeToAVariantThoughTheMachineJumps) {
  bench.write("tonight.yaml", beside_a_control("5ms", "1ms"));
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  ASSERT_EQ(bench.run("baseline accept latest --notes first").exit, 0);
  bench.write("tonight.yaml", beside_a_control("6ms", "1200us"));
  EXPECT_EQ(nightly("tonight.yaml --night 2026-11-02").exit, 0);
  // The site judges as the gate does.
  EXPECT_NE(bench.read("site/compare-1-2.html").find("native_fp8 relative to full_pool_cast"),
            std::string::npos);
  EXPECT_EQ(bench.read("site/index.html").find("1 of 1 cases regressed"), std::string::npos);
  EXPECT_EQ(bench.read("site/index.html").find("2 of 2 cases regressed"), std::string::npos);
  bench.write("tonight.yaml", beside_a_control("4ms", "826us"));
  const Outcome third = nightly("tonight.yaml --night 2026-11-03");
  EXPECT_EQ(third.exit, 1) << third.out << third.err;
  EXPECT_NE(third.err.find("[16/16]"), std::string::npos) << third.err;  // again, with the control
  const std::string told = bench.read("told.txt");
  for (const char* part : {"native_fp8 relative to full_pool_cast: tpot, ms ", "(+3.",
                           "full_pool_cast, which changed by -", "all of it in attention",
                           " --only decode/native_fp8 --only decode/full_pool_cast"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << ": " << told;
  }
}

TEST_F(Nightly, AClockThatWentBackIsNoNight) {
  ASSERT_EQ(nightly("tonight.yaml --night 2026-11-01").exit, 3);
  ASSERT_EQ(bench.shell(sql("db.execute('UPDATE runs SET started_unix_s=9e9')")).exit, 0);
  const Outcome back = nightly("tonight.yaml --night 2026-11-02");
  EXPECT_EQ(back.exit, 3) << back.out;
  EXPECT_NE(bench.read("told.txt").find("the clock of this host went back"), std::string::npos);
}

// Killed once the verdict is stored: at the site, at pruning, or while telling. The next start does
// what is left, and tells whoever was told already at most once more.
TEST_F(Nightly, KilledAfterTheVerdictItIsFinishedByTheNextStart) {
  bench.write("tonight.yaml",
              std::string(kTonight).substr(0, std::string(kTonight).find("alerts:")) +
                  "keep: {samples: 1d}\nalerts:\n  - {file: told.txt}\n"
                  "  - {command: [sh, -c, \"cat >>told.cmd; [ -e spare ] || { : "
                  ">spare; kill -9 $PPID; }\"]}\n  - {file: after.txt}\n");
  const std::string night = "$BENCH nightly tonight.yaml --night 2026-11-";
  // While it reads what it knows of the site, which is a pipe that nobody writes to.
  const Outcome site = bench.shell(
      ": >spare; mkdir site && mkfifo site/verdicts.json; " + night +
      "01 & until [ -e bench.db ]; do sleep 0.05; done; until "
      "python3 -c \"import sqlite3,sys;sys.exit(not sqlite3.connect('bench.db').execute('SELECT 1 "
      "FROM nights WHERE state=\\'judged\\'').fetchall())\" 2>/dev/null; do sleep 0.1; done; sleep "
      "0.3; "
      "kill -9 $!; ls told.txt site/index.html; rm site/verdicts.json; " +
      night + "01; ls site/index.html; cat told.txt");
  EXPECT_NE(site.out.find("night 2026-11-01 is done: run 1, exit 3"), std::string::npos)
      << site.out;
  EXPECT_NE(site.out.find("site/index.html"), std::string::npos) << site.out << site.err;
  EXPECT_NE(site.err.find("'told.txt': No such file"), std::string::npos) << site.err;
  // While the second of three receivers is told; and at pruning or near it.
  const Outcome rest = bench.shell(
      "rm spare; " + night + "03; " + night +
      "03; for at in 0 0.01 0.03; do rm -f site/index.html; "
      "n=$((${n:-3} + 2)); " +
      night +
      "0$n & while ! [ -e site/index.html ]; do sleep 0.005; done; "
      "sleep $at; kill -9 $!; " +
      night +
      "0$n; done; ls site/index.html; ls site | grep -c partial; "
      "python3 -c \"import sqlite3;db=sqlite3.connect('bench.db');print(db.execute('PRAGMA "
      "integrity_check').fetchone()[0],db.execute('SELECT count(*) FROM outbox WHERE sent_unix_s "
      "IS "
      "NULL').fetchone()[0],db.execute('SELECT count(*) FROM nights WHERE "
      "state<>\\'judged\\'').fetchone()[0])\"");
  EXPECT_NE(rest.out.find("site/index.html\n0\nok 0 0\n"), std::string::npos)
      << rest.out << rest.err;
  const auto told = [&](const char* file, const std::string& what) {
    const std::string text = bench.read(file);
    int count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(told("told.txt", "night 2026-11-01: 1 baseline"), 1);
  EXPECT_EQ(told("told.txt", "\nnight 2026-11-02 did not run"), 1);
  EXPECT_EQ(told("told.cmd", "\nnight 2026-11-02 did not run"),
            2);  // it did not say that it was told
  EXPECT_EQ(told("after.txt", "\nnight 2026-11-02 did not run"), 1);
  for (const std::string missing : {"04", "06", "08"}) {
    const int times = told("told.txt", "\nnight 2026-11-" + missing + " did not run");
    EXPECT_TRUE(times == 1 || times == 2) << missing << ": " << times;
  }
}

TEST_F(Nightly, ItsUnitsAreSoundAndGoAgainWithoutATrace) {
  if (bench.shell("command -v systemd-analyze").exit != 0) GTEST_SKIP() << "no systemd-analyze";
  ASSERT_EQ(bench.shell("mkdir 'a 50%b $x' && cp tonight.yaml 'a 50%b $x'").exit, 0);
  for (const std::string user : {"", " --user"}) {
    const std::string flags =
        " 'a 50%b $x/tonight.yaml' --db 'a 50%b $x/bench.db' --units units --at 03:15" + user;
    ASSERT_EQ(nightly("install" + flags).exit, 0);
    const Outcome installed = nightly("install" + flags);  // over what is there
    ASSERT_EQ(installed.exit, 0) << installed.err;
    const Outcome verified = bench.shell("XDG_RUNTIME_DIR=$PWD systemd-analyze --man=no" + user +
                                         " verify units/*.timer units/*.service");
    EXPECT_EQ(verified.exit, 0) << verified.err;
    EXPECT_EQ(verified.err.find("units/"), std::string::npos) << verified.err;
    EXPECT_NE(bench.read("units/bench-nightly-tonight.service").find("/a 50%%b $x\n"),
              std::string::npos);
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
