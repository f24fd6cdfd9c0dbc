#include "runners/process.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <string>

namespace bench {
namespace {

// A zombie that nobody has reaped yet does not run.
bool runs(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return file >> number >> name >> state && state != "Z";
}

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(Process, PassesLinesBothWays) {
  Process process(shell("read word; echo \"got $word\" >&3; echo second >&3"), "hello\n");
  std::string line;
  EXPECT_EQ(process.read_line(line, Seconds(10)), Process::Read::line);
  EXPECT_EQ(line, "got hello");
  EXPECT_EQ(process.read_line(line, Seconds(10)), Process::Read::line);
  EXPECT_EQ(line, "second");
  EXPECT_EQ(process.read_line(line, Seconds(10)), Process::Read::end);
  EXPECT_EQ(process.wait(), "");
}

TEST(Process, EndsTheInputUnlessMoreIsToBeWritten) {
  std::string line;
  Process reader(shell("echo \"got $(cat)\" >&3"), "all");
  ASSERT_EQ(reader.read_line(line, Seconds(10)), Process::Read::line);
  EXPECT_EQ(line, "got all");
  Process asked(shell("read a; read b; echo \"$a $b\" >&3"), "one\n", Process::Input::stays_open);
  asked.write("two\n");
  ASSERT_EQ(asked.read_line(line, Seconds(10)), Process::Read::line);
  EXPECT_EQ(line, "one two");
}

TEST(Process, SaysHowTheChildEndedAndItsLastWords) {
  Process failed(shell("echo no such device >&2; exit 4"), "");
  std::string line;
  EXPECT_EQ(failed.read_line(line, Seconds(10)), Process::Read::end);
  EXPECT_EQ(failed.wait(), "exit 4");
  EXPECT_EQ(failed.error_tail(), "no such device\n");

  Process killed(shell("kill -ABRT $$"), "");
  EXPECT_EQ(killed.wait(), "signal 6 (Aborted)");
}

TEST(Process, NoticesSilence) {
  Process process(shell("exec sleep 60"), "");
  std::string line;
  EXPECT_EQ(process.read_line(line, Seconds(0.05)), Process::Read::silent);
}

TEST(Process, KeepsWaitingForLinesAfterTheChildClosesItsErrorStream) {
  Process process(shell("exec 2>&-; sleep 0.1; echo late >&3"), "");
  std::string line;
  EXPECT_EQ(process.read_line(line, Seconds(10)), Process::Read::line);
  EXPECT_EQ(line, "late");
}

TEST(Process, KeepsOnlyTheEndOfALongErrorStream) {
  Process process(shell("yes x | head -c 100000 >&2; echo the end >&2"), "");
  std::string line;
  EXPECT_EQ(process.read_line(line, Seconds(10)), Process::Read::end);
  process.wait();
  EXPECT_LE(process.error_tail().size(), 4096U);
  EXPECT_TRUE(process.error_tail().ends_with("the end\n"));
}

TEST(Process, TakesItsWholeGroupWithItWhenDestroyed) {
  std::string line;
  {
    Process process(shell("sleep 60 & echo $! >&3; wait"), "");
    ASSERT_EQ(process.read_line(line, Seconds(10)), Process::Read::line);
  }
  for (int i = 0; i < 500 && runs(line); ++i) usleep(10000);
  EXPECT_FALSE(runs(line));
}

TEST(Process, NamesAProgramThatCannotBeStarted) {
  Process process({"/nonexistent/bench"}, "input\n");
  EXPECT_EQ(process.wait(), "exit 127");
  EXPECT_NE(process.error_tail().find("/nonexistent/bench"), std::string::npos);
}

}  // namespace
}  // namespace bench
