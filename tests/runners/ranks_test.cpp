// Where ranks run, and what becomes of a team one of whose ranks fails.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "harness/registry.h"
#include "runners/placement.h"
#include "runners/rank_team.h"

namespace bench {
namespace {

const DeviceFactory kGpus{.name = "cuda", .count = {}, .open = {}, .cores = {}};

RankPlacement placed(const std::string& gpus, int here, Parameters p = {}) {
  p.gpus = gpus;
  Alone alone;
  return place_on(kGpus, here, p, alone);
}

Parameters of(Parallel mode, std::int64_t tensor_parallel) {
  Parameters p;
  p.parallel = mode;
  p.tensor_parallel = tensor_parallel;
  return p;
}

TEST(PlaceOn, TakesAllTheGpusThatTheModeCanUse) {
  EXPECT_EQ(placed("all", 8, of(Parallel::tensor, 8)).ordinals.size(), 8U);
  EXPECT_EQ(placed("all", 8, of(Parallel::tensor, 1)).ordinals.size(), 1U);
  EXPECT_EQ(placed("all", 2, of(Parallel::tensor, 8)).ordinals.size(), 2U);
  EXPECT_EQ(placed("all", 8, of(Parallel::replica, 1)).ordinals.size(), 8U);
  EXPECT_EQ(placed("[5,3]", 8, of(Parallel::context, 1)).ordinals, (std::vector{5, 3}));
}

TEST(PlaceOn, SaysWhatCannotBe) {
  EXPECT_EQ(placed("4", 2, of(Parallel::tensor, 8)).why_not, "gpus 4: 2 here");
  EXPECT_EQ(placed("[0,6]", 2, of(Parallel::tensor, 8)).why_not,
            "gpus [0,6]: there is no GPU 6 here");
  EXPECT_EQ(placed("4", 8, of(Parallel::tensor, 2)).why_not,
            "4 ranks cannot share out tensor_parallel 2");
  Parameters speculative = of(Parallel::context, 1);
  speculative.query_tokens = 2;
  EXPECT_EQ(placed("2", 8, speculative).why_not,
            "context parallel is for one query token a request");
}

TEST(PlaceOn, SharesAMachineOutToItsProcesses) {
  class Third : public Hosts {
   public:
    Third() : Hosts(2, 4, 2, 4) {}
    std::vector<std::string> exchange(std::string mine) override { return {std::move(mine)}; }
  } third;
  EXPECT_EQ(place_on(kGpus, 8, of(Parallel::tensor, 8), third).ordinals, (std::vector{4, 5}));
  EXPECT_EQ(place_on(kGpus, 1, of(Parallel::tensor, 8), third).why_not,
            "more processes on this machine than GPUs");
}

DeviceInfo gpu(int ordinal, const std::string& name) {
  return {.kind = DeviceKind::cuda,
          .name = name,
          .uuid = "GPU-" + std::to_string(ordinal),
          .ordinal = ordinal,
          .memory_bytes = 100LL << 30,
          .memory_free_bytes = 99LL << 30,
          .driver = "580.1"};
}

TEST(Unlike, RefusesGpusOfTwoModels) {
  const std::vector<DeviceInfo> pair{gpu(0, "NVIDIA H200"), gpu(1, "NVIDIA L40")};
  EXPECT_EQ(unlike(std::vector{pair[0], pair[0]}), "");
  EXPECT_NE(unlike(pair).find("GPU 0 (NVIDIA H200, 107.4 GB) and GPU 1 (NVIDIA L40"),
            std::string::npos)
      << unlike(pair);
}

TEST(Busy, NamesTheGpuAndTheOthersToTake) {
  std::vector<DeviceInfo> infos{gpu(0, "H"), gpu(1, "H"), gpu(2, "H")};
  std::vector<DeviceState> states(3);
  EXPECT_EQ(busy(infos, states), "");
  infos[1].memory_free_bytes = 40LL << 30;
  EXPECT_EQ(busy(infos, states),
            "GPU 1 (GPU-1) is in use: 64.42 GB in use; choose others (--set 'gpus=[0,2]'), or "
            "measure all the same with --set busy_gpus=allow");
  infos[1].memory_free_bytes = 99LL << 30;
  states[2].other_processes = "1 other processes";
  EXPECT_NE(busy(infos, states).find("GPU 2 (GPU-2) is in use: 1 other"), std::string::npos);
}

class TeamOfThree : public testing::Test {
 protected:
  Alone alone_;
  RankTeam team_{*Registry<DeviceFactory>::find("cpu"), {0, 1, 2}, alone_, Seconds(2)};

  std::string error_of(const std::function<void(Rank&)>& work) {
    try {
      team_.each(work);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(TeamOfThree, WorksTogether) {
  std::atomic<int> numbers{0};
  team_.each([&](Rank& rank) {
    EXPECT_TRUE(rank.communicator->all(rank.device != nullptr));
    numbers += rank.number;
  });
  EXPECT_EQ(numbers, 3);
}

TEST_F(TeamOfThree, NamesTheRankThatFailsWhileOthersWaitForIt) {
  const std::string error = error_of([](Rank& rank) {
    if (rank.number == 1) throw std::runtime_error("no such kernel");
    rank.communicator->align();
  });
  EXPECT_TRUE(error.starts_with("rank 1 (")) << error;
  EXPECT_TRUE(error.ends_with("): no such kernel")) << error;
  EXPECT_EQ(error_of([](Rank&) {}), "the ranks were given up before");
}

TEST_F(TeamOfThree, KeepsTheKindOfAnOutOfMemory) {
  EXPECT_THROW(team_.each([](Rank& rank) {
    if (rank.number == 2) throw OutOfMemory("all full");
  }),
               OutOfMemory);
}

TEST(RankTeam, NamesTheRankThatHangs) {
  static std::atomic<bool> done{false};  // outlives the thread that is left behind
  Alone alone;
  RankTeam team(*Registry<DeviceFactory>::find("cpu"), {0, 1}, alone, Seconds(0.2));
  try {
    team.each([](Rank& rank) {
      if (rank.number == 0) rank.communicator->align();
      while (rank.number == 1 && !done) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    FAIL() << "it came to an end";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("rank 1 (")) << text;
    EXPECT_NE(text.find("hangs: no end within 200.0 ms"), std::string::npos) << text;
  }
  done = true;
}

}  // namespace
}  // namespace bench
