// Where ranks run, and what becomes of a team one of whose ranks fails.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>

#include "harness/registry.h"
#include "results/environment.h"
#include "runners/kernel_result.h"
#include "runners/lockstep.h"
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

TEST_F(TeamOfThree, TakesAHostWithoutMemoryForOutOfMemory) {
  EXPECT_THROW(team_.each([](Rank& rank) {
    if (rank.number == 2) throw std::bad_alloc();
  }),
               OutOfMemory);
}

// Processes of a run, each a thread here.
class InThread : public Hosts {
 public:
  InThread(Meeting& meeting, int index) : Hosts(index, meeting.size()), meeting_(meeting) {}
  std::vector<std::string> exchange(std::string mine) override {
    return meeting_.exchange(index(), std::move(mine));
  }

 private:
  Meeting& meeting_;
};

TEST(RankTeam, DoesNotBlameARankThatWaitsForOtherProcesses) {
  static Alone alone;  // outlive the thread that is left behind
  static Meeting meeting(alone, 2);
  static InThread hosts(meeting, 0);
  std::thread other([] { InThread(meeting, 1).exchange("1"); });  // it has one rank
  RankTeam team(*Registry<DeviceFactory>::find("cpu"), {0}, hosts, Seconds(0.2));
  other.join();
  try {
    team.each([](Rank& rank) { rank.communicator->align(); });
    FAIL() << "it came to an end";
  } catch (const OthersLost& error) {
    EXPECT_STREQ(error.what(), "the other processes' ranks did not come within 200.0 ms");
  }
  meeting.abort();
}

// What each process is told when the first has `losses[0]` and so on.
std::vector<Lockstep::Over> ends(const std::vector<Loss>& losses) {
  Alone alone;
  Meeting meeting(alone, static_cast<int>(losses.size()));
  std::vector<Lockstep::Over> over(losses.size());
  std::vector<std::thread> threads;
  for (int i = 0; i < meeting.size(); ++i) {
    threads.emplace_back([&, i] {
      InThread hosts(meeting, i);
      const auto at = static_cast<std::size_t>(i);
      over[at] = Lockstep(hosts).end(losses[at], {});
    });
  }
  for (std::thread& thread : threads) thread.join();
  return over;
}

TEST(Lockstep, BlamesWhoWasTheCauseAndNotWhoWaited) {
  const Loss waited{.case_id = "b", .reason = "the others did not come", .others = true};
  const Loss hung{.case_id = "a", .status = Status::timeout, .reason = "rank 1 hangs"};
  for (const Lockstep::Over& over : ends({waited, hung, {}})) {
    EXPECT_EQ(over.reason, "process 1 on " + host_name() + ": rank 1 hangs");
    EXPECT_EQ(over.status, Status::timeout);
    EXPECT_EQ(over.case_ids, (std::set<std::string>{"a", "b"}));
  }
  EXPECT_EQ(ends({waited, waited})[1].reason,
            "process 0 on " + host_name() + ": the others did not come");
}

TEST(Lockstep, LetsAWorkerKnowThatAnotherHasEnded) {
  Alone alone;
  Meeting meeting(alone, 2);
  std::thread other([&] {
    InThread hosts(meeting, 1);
    Lockstep(hosts).end({.case_id = "a", .reason = "no memory"}, {});
  });
  InThread hosts(meeting, 0);
  Lockstep first(hosts);
  EXPECT_EQ(first.meet("bytes").lost, "process 1 on " + host_name() + ": no memory");
  EXPECT_EQ(first.end({}, {}).case_ids, std::set<std::string>{"a"});
  other.join();
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

// Two samples of four ranks, an all-reduce of 1 MB that takes 20 us in each of two layers.
Measurement of_four_ranks(double link_bytes_per_s) {
  static Case what;
  what.parameters.layers = 2;
  what.parameters.heads = 64;
  what.parameters.tensor_parallel = 8;
  Contender contender{.what = &what, .variant = nullptr};
  contender.clock_hz = {1e9, 1e9};
  contender.rank_s = {{1e-3, 0.99e-3, 1e-3, 1e-3}, {1e-3, 0.99e-3, 1e-3, 1e-3}};
  contender.stage_results = {{.stage = "allreduce", .seconds = 40e-6}};
  const RankFacts ranks{
      .count = 4, .set_up = Seconds(1), .message_bytes = 1e6, .link_bytes_per_s = link_bytes_per_s};
  return finished(contender, {.seconds = {1e-3, 1e-3}}, step_shape(what.parameters, 4), ranks);
}

// nccl-tests: algbw = bytes / time, busbw = algbw x 2 (n - 1) / n.
TEST(Finished, GivesBandwidthsByTheDefinitionsOfNcclTests) {
  const Measurement m = of_four_ranks(600e9);
  EXPECT_NEAR(*m.metric("allreduce_s"), 20e-6, 1e-12);
  EXPECT_NEAR(*m.metric("allreduce_algbw_bytes_per_s"), 50e9, 1);
  EXPECT_NEAR(*m.metric("allreduce_busbw_bytes_per_s"), 75e9, 1);  // x 2 x 3 / 4
  EXPECT_NEAR(*m.metric("allreduce_link_share"), 0.125, 1e-12);
  EXPECT_NEAR(*m.metric("allreduce_share"), 0.04, 1e-12);
  EXPECT_NEAR(*m.metric("rank_skew"), 0.01, 1e-12);
  EXPECT_NE(m.reason.find("; ranks 4 of 8"), std::string::npos) << m.reason;
  EXPECT_FALSE(of_four_ranks(0).metric("allreduce_link_share"));
}

TEST(DeviceFacts, HoldTheLinkAndWhatNcclWasTold) {
  const std::vector<DeviceInfo> infos{gpu(0, "H"), gpu(1, "H")};
  const std::vector<double> ceilings{1, 1};
  const std::vector<LinkFact> links{{.name = "link", .value = "NVLink", .machine = true},
                                    {.name = "NCCL_ALGO", .value = "Ring"}};
  const std::vector<DeviceFacts> facts = device_facts(infos, ceilings, links);
  const auto hash = [](std::vector<Fact> of) { return fingerprint(of); };
  std::vector<LinkFact> slower = links;
  slower[0].value = "PCIe";
  EXPECT_NE(hash(device_facts(infos, ceilings, slower)[0].facts), hash(facts[0].facts));
  slower = links;
  slower[1].value = "Tree";
  EXPECT_EQ(hash(device_facts(infos, ceilings, slower)[0].facts), hash(facts[0].facts));
  EXPECT_EQ(facts[0].facts.back().name, "NCCL_ALGO");
  EXPECT_EQ(facts[0].facts.back().value, "Ring");
}

}  // namespace
}  // namespace bench
