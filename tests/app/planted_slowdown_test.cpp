#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/app/bench_program.h"
#include "tests/bench_binary.h"

namespace bench {
namespace {

// A real step of one layer on the CPU, nearly all of it the cast.
constexpr const char* kPlanted = R"(
name: planted
model: glm5
defaults:
  runner: kernel
  layers: 1
  tensor_parallel: 8
  context: 1k
  replicates: 8
  sampling: {min_samples: 10, max_samples: 30, relative_error: 1%, max_time: 300ms, max_warm_up: 50ms}
workloads:
  pool_size:
    variants: [planted]
    sweep: {pool_tokens: [64k]}
gates:
  - {workload: pool_size, metric: tpot_s, min_effect: 1%}
)";

TEST(Planted, StageOfARealRunIsFoundAttributedAndFailsTheGate) {
  // Real times: on a busy machine the verdict is rightly inconclusive. With PLANTED=0.4 it shows
  // the chain on most machines, with 0.03 on a quiet one; other tests have the gate with exact
  // times.
  const char* slowdown = std::getenv("PLANTED");
  if (slowdown == nullptr) GTEST_SKIP() << "needs a quiet machine and PLANTED=0.03";
  BenchProgram bench;
  bench.write("planted.yaml", kPlanted);
  const std::string planted =
      (std::filesystem::path(bench_binary()).parent_path() / "../../tests/bench_planted").string();
  const auto run = [&](const std::string& fraction) {
    return bench.shell("BENCH_PLANTED=" + fraction + " " + planted + " run planted.yaml");
  };
  Outcome gate{.exit = 3, .out = {}, .err = {}};
  constexpr int kNights = 2;  // load that comes or goes within a run makes it rightly inconclusive
  for (int night = 0; night < kNights && gate.exit == 3; ++night) {
    ASSERT_EQ(run("0").exit, 0);
    ASSERT_EQ(bench.run("baseline accept latest --anyway --notes before").exit, 0);
    ASSERT_EQ(run(slowdown).exit, 0);
    gate = bench.run("gate latest");
  }
  EXPECT_EQ(gate.exit, 1) << gate.out << gate.err;
  EXPECT_NE(gate.out.find("regressed     pool_size"), std::string::npos) << gate.out;
  EXPECT_LT(gate.out.find("cast +"), gate.out.find("attention +")) << gate.out;  // or cast alone
  std::puts(gate.out.c_str());
}

}  // namespace
}  // namespace bench
