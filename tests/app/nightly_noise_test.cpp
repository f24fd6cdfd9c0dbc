#include "tests/app/nightly.h"

namespace bench {
namespace {

// kTonight at another speed.
std::string tonight_at(const std::string& speed) {
  std::string text = kTonight;
  return text.replace(text.find("1us"), 3, speed);
}

// Every other replicate is slower: noise that hides what is asked, and that no draw makes a change.
std::string in_turn(const std::string& fast, const std::string& slow) {
  std::string text = tonight_at(fast);
  std::string odd;
  for (int replicate = 1; replicate < 32; replicate += 2)
    odd += "; native_fp8#" + std::to_string(replicate) + " = " + slow + "*context@attention ~0.5%";
  return text.insert(text.find("~0.5%") + 5, odd);
}

// 1 us a token, but for noise.
std::string restless() { return in_turn("850ns", "1150ns"); }

class NoisyNight : public Nightly {
 protected:
  [[nodiscard]] Outcome night(int date, const std::string& config) const {
    bench.write("tonight.yaml", config);
    return nightly("tonight.yaml --night 2026-11-0" + std::to_string(date));
  }
  // A night as it was measured `at_first`, perhaps on a CPU of which others had half. It is left to
  // judge that, and to measure again as `later`.
  [[nodiscard]] Outcome measured(const std::string& at_first, const std::string& later, int date,
                                 const std::string& others_share = "") const {
    const std::string tonight = "2026-11-0" + std::to_string(date);
    bench.write("tonight.yaml", at_first);
    EXPECT_EQ(bench.run("run tonight.yaml --tag night-" + tonight).exit, 0);
    bench.write("tonight.yaml", later);
    bench.write("edit.py", R"py(
import sqlite3, sys
db = sqlite3.connect("bench.db")
run, = db.execute("SELECT max(id) FROM runs").fetchone()
db.execute("UPDATE runs SET plan_source = ? WHERE id = ?", (open("tonight.yaml").read(), run))
if len(sys.argv) > 1:
    db.execute("INSERT INTO metric_kinds VALUES (99, 'others_cpu_share', 1, '', 'lower', '')")
    db.execute("INSERT INTO metrics SELECT id, 99, ? FROM measurements WHERE run_id = ?", (float(sys.argv[1]), run))
db.commit()
)py");
    const Outcome edited = bench.shell("python3 edit.py " + others_share);
    EXPECT_EQ(edited.exit, 0) << edited.err;
    return nightly("tonight.yaml --night " + tonight);
  }
  [[nodiscard]] Outcome after_a_disturbed_run(const std::string& later) const {
    return measured(restless(), later, 2, "0.5");
  }
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(NoisyNight, ARestlessFirstNightIsNoBaselineAndTheFirstQuietOneIs) {
  const Outcome first = night(1, restless());
  EXPECT_EQ(first.exit, 3) << first.err;
  EXPECT_FALSE(says(first.out, "baseline accept")) << first.out;
  EXPECT_TRUE(says(first.out, "run 1 is none to pin: 2 of 2 gated cases would have no answer"))
      << first.out;
  EXPECT_TRUE(says(first.out, "decode, context 4k, native_fp8, tpot_s: can tell ")) << first.out;
  EXPECT_TRUE(says(first.out, ", or min_effect: ")) << first.out;
  EXPECT_TRUE(says(first.out, "; measured again: can tell ")) << first.out;
  const Outcome refused = bench.run("baseline accept 1 --notes first");
  EXPECT_EQ(refused.exit, 3);
  EXPECT_TRUE(says(refused.err, "run 1 would leave 2 of 2 gated cases without an answer:\n"))
      << refused.err;
  EXPECT_TRUE(says(refused.err, "  decode, context 16k, native_fp8, tpot_s: can tell "));
  EXPECT_TRUE(says(refused.err, "--anyway")) << refused.err;
  EXPECT_EQ(bench.run("baseline").out, "");
  // It is not judged by the restless one, and tells what to pin.
  const Outcome second = night(2, kTonight);
  EXPECT_EQ(second.exit, 3);
  EXPECT_TRUE(says(second.out, "no night before: bench baseline accept 3 --notes")) << second.out;
  EXPECT_FALSE(says(second.out, "unjudged:")) << second.out;
  EXPECT_EQ(bench.run("baseline accept 3 --notes quiet").exit, 0);
  EXPECT_EQ(night(3, kTonight).exit, 0);
}

TEST_F(NoisyNight, WhatIsUnjudgedSaysWhoseNoiseItIsAndWhatWouldDo) {
  ASSERT_EQ(night(1, restless()).exit, 3);
  ASSERT_EQ(bench.run("baseline accept 1 --notes noisy --anyway").exit, 0);
  const Outcome second = night(2, kTonight);
  EXPECT_EQ(second.exit, 3);
  EXPECT_TRUE(says(second.out, "noise of the baseline (it can tell ")) << second.out;
  EXPECT_TRUE(says(second.out, "a quieter run is there: bench baseline accept 3 --notes"))
      << second.out;
  EXPECT_FALSE(says(second.out, "noise of this run")) << second.out;
  ASSERT_EQ(bench.run("baseline accept 3 --notes quiet").exit, 0);
  ASSERT_EQ(night(3, kTonight).exit, 0);
  const Outcome noisy = night(4, restless());
  EXPECT_EQ(noisy.exit, 3);
  // By the pinned run, and by the night before.
  EXPECT_TRUE(says(noisy.out, "measured again: 4 verdicts, 0 of them gone")) << noisy.out;
  EXPECT_TRUE(says(noisy.err, "[32/32]")) << noisy.err;  // twice as often as at first
  EXPECT_TRUE(says(noisy.out, "noise of this run (it can tell ")) << noisy.out;
}

TEST_F(NoisyNight, WhatOthersOnTheCpuHidIsWhatTheSecondMeasurementSays) {
  ASSERT_EQ(night(1, kTonight).exit, 3);
  ASSERT_EQ(bench.run("baseline accept 1 --notes first").exit, 0);
  const Outcome passed = after_a_disturbed_run(kTonight);
  EXPECT_EQ(passed.exit, 0) << passed.out << passed.err;
  EXPECT_TRUE(says(passed.out, "measured again: 2 verdicts, 2 of them gone")) << passed.out;
}

TEST_F(NoisyNight, AChangeThatOthersOnTheCpuHidIsToldByTheSecondMeasurement) {
  ASSERT_EQ(night(1, kTonight).exit, 3);
  ASSERT_EQ(bench.run("baseline accept 1 --notes first").exit, 0);
  const Outcome told = after_a_disturbed_run(tonight_at("1030ns"));
  EXPECT_EQ(told.exit, 1) << told.out << told.err;
  EXPECT_TRUE(says(told.out, ": 2 regression\n")) << told.out;
}

// A gain that was told of and not accepted: the pinned run has nothing more to say of that case.
TEST_F(NoisyNight, AChangeAgainstTheNightBeforeThatNoiseHidIsToldByTheSecondMeasurement) {
  ASSERT_EQ(night(1, kTonight).exit, 3);
  ASSERT_EQ(bench.run("baseline accept 1 --notes first").exit, 0);
  ASSERT_EQ(night(2, tonight_at("500ns")).exit, 0);
  const Outcome told = measured(in_turn("485ns", "515ns"), tonight_at("515ns"), 3);
  EXPECT_EQ(told.exit, 1) << told.out << told.err;
  EXPECT_TRUE(says(told.out, "measured again: 2 verdicts, 0 of them gone")) << told.out;
  EXPECT_TRUE(says(told.out, "against run 2, the night before")) << told.out;
  EXPECT_TRUE(says(told.out, ": 2 regression\n")) << told.out;
  // Nothing is measured again for the night before, whose own noise it was.
  const Outcome after = night(4, tonight_at("500ns"));
  EXPECT_FALSE(says(after.out, "measured again")) << after.out;
}

TEST_F(NoisyNight, ARegressionThatNoiseHidesForANightIsNotToldOfAgain) {
  ASSERT_EQ(night(1, kTonight).exit, 3);
  ASSERT_EQ(bench.run("baseline accept 1 --notes first").exit, 0);
  ASSERT_EQ(night(2, tonight_at("1030ns")).exit, 1);
  const std::string told = bench.read("told.txt");
  EXPECT_NE(night(3, in_turn("880ns", "1180ns")).exit, 0);
  EXPECT_EQ(bench.read("told.txt"), told);
  // The night before, which was noisy, has no say in that it is over.
  EXPECT_EQ(night(4, kTonight).exit, 0);
  EXPECT_TRUE(says(bench.read("told.txt"), "over: the regression of night 2026-11-02"));
}

TEST_F(NoisyNight, ARegressionAgainstTheNightBeforeIsNotOverForThePinnedRunsSlowness) {
  ASSERT_EQ(night(1, kTonight).exit, 3);
  ASSERT_EQ(bench.run("baseline accept 1 --notes first").exit, 0);
  ASSERT_EQ(night(2, tonight_at("500ns")).exit, 0);
  ASSERT_EQ(night(3, tonight_at("515ns")).exit, 1);
  const Outcome noisy = night(4, in_turn("440ns", "590ns"));
  EXPECT_FALSE(says(noisy.out, "over: the regression")) << noisy.out;
}

TEST_F(NoisyNight, ARunInWhichACaseFailedIsNoBaseline) {
  std::string fails = kTonight;
  const std::string script = "native_fp8 = 1us*context@attention ~0.5%";
  fails.replace(fails.find(script), script.size(), "native_fp8 = fail");
  const Outcome first = night(1, fails);
  EXPECT_TRUE(says(first.out, "no night of this configuration will do")) << first.out;
  EXPECT_EQ(bench.run("baseline accept 1 --notes first").exit, 3);
  // What nothing is asked of has nothing to answer.
  std::string free = kTonight;
  bench.write("free.yaml", free.substr(0, free.find("gates:")));
  ASSERT_EQ(bench.run("run free.yaml --replicates 1").exit, 0);
  EXPECT_EQ(bench.run("baseline accept latest --notes free").exit, 0);
}

TEST_F(NoisyNight, AGateWithoutACaseIsToldWithTheRunToPin) {
  std::string two = kTonight;
  two.insert(two.find("gates:"), "  prefill: {variants: [b], context: 8k, script: b = 1us}\n");
  two.replace(two.find("gates: ["), 8, "gates: [{workload: prefill, metric: tpot_s}, ");
  bench.write("two.yaml", two);
  const Outcome part = nightly("two.yaml --night 2026-11-01 --only decode");
  EXPECT_TRUE(says(part.out,
                   "run 1 is none to pin: 1 of 2 gates would have no answer\n"
                   "    the gate on tpot_s of prefill: no case of it is in the run\n"
                   "    a night that measures them would do\n"))
      << part.out;
  EXPECT_FALSE(says(part.out, "baseline accept")) << part.out;
  std::string absent = two;
  absent.replace(absent.find("context: 8k"), 11,
                 "sweep: {context: [8k]}, skip: [{context: 8k, reason: no room}]");
  bench.write("two.yaml", absent);
  const Outcome whole = nightly("two.yaml --night 2026-11-02");
  EXPECT_TRUE(says(whole.out, ": bench baseline accept 2 --notes WHY")) << whole.out;
  EXPECT_TRUE(says(whole.out, "\n    the gate on tpot_s of prefill: skipped: no room\n"));
}

TEST_F(NoisyNight, APathWithBlanksIsQuotedWhereItIsToBeTyped) {
  ASSERT_EQ(bench.shell("mkdir 'a b'").exit, 0);
  const Outcome first = nightly("tonight.yaml --night 2026-11-01 --db 'a b/bench.db'");
  EXPECT_TRUE(says(first.out, "/a b/bench.db'\n")) << first.out;
  const auto from = first.out.find("bench baseline accept");
  std::string command = first.out.substr(from, first.out.find('\n', from) - from);
  EXPECT_EQ(bench.shell(command.replace(0, 5, "$BENCH")).exit, 0) << command;
}

}  // namespace
}  // namespace bench
