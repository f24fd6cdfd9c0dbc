// Several ranks on a CPU, a thread each: their collectives, and the check of what they merge.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "harness/registry.h"
#include "kernels/check.h"
#include "kernels/cores.h"
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/host_communicator.h"
#include "kernels/number_formats.h"
#include "tests/kernels/small_step.h"

namespace bench {
namespace {

template <typename Work>
void on_ranks(int ranks, const Work& work) {
  Alone alone;
  Meeting meeting(alone, ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] { work(meeting, rank); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostCommunicator, SumsInBf16) {
  std::array<float, 3> sums{};
  on_ranks(3, [&](Meeting& meeting, int rank) {
    const auto all = make_host_communicator(meeting, rank);
    const std::array<std::uint16_t, 2> mine{float_to_bf16(1.5F), float_to_bf16(float(rank))};
    std::array<std::uint16_t, 2> sum{};
    all->all_reduce(mine.data(), sum.data(), 2);
    EXPECT_EQ(bf16_to_float(sum[0]), 4.5F);
    sums[static_cast<std::size_t>(rank)] = bf16_to_float(sum[1]);
  });
  EXPECT_EQ(sums, (std::array{3.0F, 3.0F, 3.0F}));
}

// Two ranks, two rows: each ends with one row. Row 0: equal weights; row 1: rank 1 has three times
// rank 0's.
TEST(HostCommunicator, MergesPartialsByTheirWeights) {
  on_ranks(2, [](Meeting& meeting, int rank) {
    const auto all = make_host_communicator(meeting, rank);
    const float value = rank == 0 ? 1.0F : 5.0F;
    std::array<std::uint16_t, 2> output{float_to_bf16(value), float_to_bf16(value)};
    std::array<float, 2> lse{2.0F, rank == 0 ? 1.0F : 1.0F + std::log(3.0F)};
    all->merger({.output = output.data(), .lse = lse.data(), .rows = 2, .latent = 1})();
    const auto own = static_cast<std::size_t>(rank);
    EXPECT_EQ(bf16_to_float(output[own]), rank == 0 ? 3.0F : 4.0F);
    EXPECT_NEAR(lse[own], rank == 0 ? 2.0F + std::log(2.0F) : 1.0F + std::log(4.0F), 1e-6F);
    EXPECT_EQ(bf16_to_float(output[1 - own]), value) << "not this rank's row";
  });
}

TEST(Meeting, LetsAllLeaveWhenOneDoesNotCome) {
  on_ranks(2, [](Meeting& meeting, int rank) {
    if (rank == 0) {
      EXPECT_THROW(meeting.exchange(0, "here"), Aborted);
    } else {
      meeting.abort();
    }
  });
}

TEST(Cores, AreSharedOutAndRead) {
  EXPECT_EQ(parse_core_list("0-2,8"), (std::vector{0, 1, 2, 8}));
  EXPECT_EQ(parse_core_list(""), std::vector<int>{});
  const auto all = allowed_cores();
  EXPECT_EQ(shared_cores(0, 1), all);
  EXPECT_EQ(shared_cores(static_cast<int>(all.size()), static_cast<int>(all.size()) + 1).size(),
            1U);
}

// What the check of a step finds wrong on each rank, with communicators as `make` makes them.
template <typename Make>
std::vector<std::string> faults_of_ranks(Parallel mode, int ranks, const Make& make) {
  Parameters parameters = small_step();
  parameters.parallel = mode;
  const StepShape shape = step_shape(parameters, ranks);
  std::vector<std::string> reasons(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](Meeting& meeting, int rank) {
    stay_on(shared_cores(rank, ranks));
    CpuDevice device;
    PoolCache pools(device);
    const std::unique_ptr<Communicator> communicator = make(meeting, rank);
    Problem problem(pools, shape, 17, {.mode = mode, .rank = rank, .ranks = ranks});
    const Together together{
        .communicator = communicator.get(), .hidden = 96, .allreduce_per_layer = 2};
    const CheckResult result =
        check(*Registry<KernelVariant>::find("cpu:native_fp8"), problem, together);
    EXPECT_EQ(result.correct, result.reason.empty());
    reasons[static_cast<std::size_t>(rank)] = result.reason;
  });
  return reasons;
}

class CheckOfMode : public testing::TestWithParam<Parallel> {};

TEST_P(CheckOfMode, PassesWhatIsRight) {
  for (const std::string& reason : faults_of_ranks(GetParam(), 3, make_host_communicator)) {
    EXPECT_EQ(reason, "");
  }
}
INSTANTIATE_TEST_SUITE_P(Modes, CheckOfMode,
                         testing::Values(Parallel::tensor, Parallel::replica, Parallel::context));

// Meets the others, and keeps its own.
class Selfish : public Communicator {
 public:
  using Communicator::Communicator;
  void all_reduce(const std::uint16_t* from, std::uint16_t* to, std::int64_t count) override {
    std::copy_n(from, count, to);
  }
  std::function<void()> merger(const Partials&) override {
    return [] {};
  }
  void align() override { exchange({}); }
};
std::unique_ptr<Communicator> make_selfish(Meeting& meeting, int rank) {
  return std::make_unique<Selfish>(meeting, rank);
}

TEST(CheckOfRanks, FindsPartialsThatWereNotMerged) {
  for (const std::string& reason : faults_of_ranks(Parallel::context, 2, make_selfish)) {
    EXPECT_NE(reason.find("output of layer"), std::string::npos) << reason;
  }
}

TEST(CheckOfRanks, FindsASumOfOneRank) {
  for (const std::string& reason : faults_of_ranks(Parallel::tensor, 2, make_selfish)) {
    EXPECT_NE(reason.find("the all-reduce over 2 ranks is off by"), std::string::npos) << reason;
  }
}

TEST(StepShape, SharesTheTokensOutOverContextRanks) {
  Parameters p;
  p.parallel = Parallel::context;
  p.context = 1000;
  EXPECT_EQ(step_shape(p, 3).context.front(), 334);
  p.parallel = Parallel::tensor;
  EXPECT_EQ(step_shape(p, 3).context.front(), 1000);
}

}  // namespace
}  // namespace bench
