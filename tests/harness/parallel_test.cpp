#include "harness/parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "harness/error.h"

namespace bench {
namespace {

TEST(Parallel, DoesEveryPieceOfWorkOnce) {
  std::array<std::atomic<int>, 100> done{};
  in_parallel(done.size(), 4, [&](std::size_t i) { ++done[i]; });
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], 1) << i;
}

TEST(Parallel, HasNothingToDoForNoPieces) {
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(Parallel, BeginsNoOtherPieceAfterAnErrorAndThrowsIt) {
  std::atomic<std::size_t> begun = 0;
  const auto work = [&](std::size_t i) {
    ++begun;
    if (i == 2) fail("piece 2");
  };
  try {
    in_parallel(1000000, 1, work);
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "piece 2");
  }
  EXPECT_EQ(begun, 3);
}

TEST(Parallel, LeavesTheRestUndoneInEveryThreadAfterAnError) {
  std::atomic<std::size_t> begun = 0;
  const auto work = [&](std::size_t i) {
    ++begun;
    if (i == 0) fail("piece 0");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_THROW(in_parallel(3000, 4, work), Error);
  EXPECT_LT(begun, 3000U);
}

TEST(Parallel, ThrowsOneErrorOfManyThreads) {
  EXPECT_THROW(in_parallel(8, 4, [](std::size_t) { fail("every piece"); }), Error);
}

}  // namespace
}  // namespace bench
