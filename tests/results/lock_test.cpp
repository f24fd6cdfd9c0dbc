#include "results/lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "results/store.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

TEST(Lock, ASecondHolderIsToldWhoHasItAndSinceWhen) {
  const TestFolder folder;
  const Lock first(folder.file("l"), "bench run configs/glm5.yaml");
  Exit exit = Exit::ok;
  const std::string message = error_of([&] { return Lock(folder.file("l"), "other"), 0; }, &exit);
  EXPECT_EQ(exit, Exit::locked);
  EXPECT_NE(message.find(format("is held by process {} since 20", getpid())), std::string::npos)
      << message;
  EXPECT_NE(message.find("(bench run configs/glm5.yaml)"), std::string::npos) << message;
}

TEST(Lock, IsFreeAgainAfterItsHolder) {
  const TestFolder folder;
  { const Lock first(folder.file("l"), "one"); }
  const Lock second(folder.file("l"), "two");
}

TEST(Lock, SaysWhoHoldsItWithoutTakingIt) {
  const TestFolder folder;
  EXPECT_EQ(lock_holder(folder.file("l")), "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("l")));
  {
    const Lock lock(folder.file("l"), "bench nightly --api-key hunter2");
    const std::string who = lock_holder(folder.file("l"));
    EXPECT_EQ(who.rfind(format("process {} since 20", getpid()), 0), 0u) << who;
    EXPECT_EQ(who.find("hunter2"), std::string::npos) << who;
  }
  EXPECT_EQ(lock_holder(folder.file("l")), "");
}

// A GPU is not free while a worker of a dead run still measures on it.
TEST(Lock, IsHeldByTheProgramsThatInheritItUntilTheyEnd) {
  const TestFolder folder;
  for (const OnExec on_exec : {OnExec::inherit, OnExec::release}) {
    pid_t child = -1;
    {
      const Lock lock(folder.file("l"), "parent", on_exec);
      child = fork();
      if (child == 0) {
        execl("/bin/sleep", "sleep", "60", nullptr);
        _exit(1);
      }
      const std::string program = format("/proc/{}/comm", child);
      for (std::string name; name != "sleep";) std::ifstream(program) >> name;
    }
    EXPECT_EQ(lock_holder(folder.file("l")).empty(), on_exec == OnExec::release);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(lock_holder(folder.file("l")), "");
  }
}

TEST(Lock, IsFreeAgainWhenItsHolderIsKilled) {
  const TestFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Lock lock(folder.file("l"), "child");
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_NE(error_of([&] {
              return Lock(folder.file("l"), "parent"), 0;
            }).find(format("process {}", child)),
            std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const Lock lock(folder.file("l"), "parent");
}

TEST(Lock, OneWriterOfAStoreUnderWhateverNameAndAnyReaders) {
  const TestFolder folder;
  Store writer(folder.file(), Access::write, "bench run");
  std::filesystem::create_symlink(folder.file(), folder.file("other.db"));
  Exit exit = Exit::ok;
  error_of([&] { return Store(folder.file("other.db"), Access::write).database().path(); }, &exit);
  EXPECT_EQ(exit, Exit::locked);
  Store reader(folder.file(), Access::read);
  Store another(folder.file("other.db"), Access::read);
}

}  // namespace
}  // namespace bench
