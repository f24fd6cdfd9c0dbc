#include "runners/cpu_watch.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

namespace bench {
namespace {

using std::chrono::milliseconds;

TEST(CpuWatch, ReadsTheTimesOfTheCoresAskedFor) {
  const std::string text =
      "cpu  60 6 6 60 6 6 6 6 9 9\n"
      "cpu0 1 2 3 10 20 4 5 6 7 8\n"
      "cpu1 10 0 0 90 0 0 0 0 0 0\n"
      "cpu10 500 0 0 500 0 0 0 0 0 0\n"
      "intr 12 0 0\n";
  const CoreTimes one = parse_core_times(text, {0});
  EXPECT_EQ(one.busy, 21);  // neither idle nor waiting for a disk; guests are in user
  EXPECT_EQ(one.total, 51);
  EXPECT_EQ(parse_core_times(text, {0, 1}).busy, 31);
  EXPECT_EQ(parse_core_times(text, {0, 1}).total, 151);
  EXPECT_EQ(parse_core_times("", {0}).total, 0);
}

// This process on one core, where the shares of all who run there add up to 1.
class OneCore {
 public:
  OneCore() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    int core = 0;
    while (CPU_ISSET(core, &before_) == 0) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
};

TEST(CpuWatch, CountsAnotherProcess) {
  const OneCore here;
  const pid_t child = fork();
  if (child == 0) {
    while (true) {
    }
  }
  const CpuWatch watch;
  std::this_thread::sleep_for(milliseconds(400));
  const auto others = watch.others();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (!others) GTEST_SKIP() << "no times of the cores here";
  EXPECT_GT(*others, 0.5);
}

TEST(CpuWatch, DoesNotCountThisProcess) {
  const OneCore here;
  const CpuWatch watch;
  const std::clock_t start = std::clock();
  const auto end = std::chrono::steady_clock::now() + milliseconds(400);
  while (std::chrono::steady_clock::now() < end) {
  }
  const double own = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 0.4;
  const auto others = watch.others();
  if (!others) GTEST_SKIP() << "no times of the cores here";
  EXPECT_LT(*others + own, 1.2);
}

}  // namespace
}  // namespace bench
