#include "results/lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

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
