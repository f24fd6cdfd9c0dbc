#include "workloads/plan.h"

#include <algorithm>

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

std::vector<std::string> labels(const Workload& workload) {
  std::vector<std::string> out;
  for (const Point& point : workload.points) out.push_back(label(point.parameters, workload.axes));
  return out;
}

TEST(Plan, ExpandsTheProductWithTheFirstAxisTheSlowest) {
  const Plan plan = plan_of(kWorkload + "    sweep: {concurrency: [1, 2], context: [1k, 4k]}\n");
  EXPECT_EQ(labels(plan.workloads[0]),
            (std::vector<std::string>{"concurrency 1, context 1k", "concurrency 1, context 4k",
                                      "concurrency 2, context 1k", "concurrency 2, context 4k"}));
}

TEST(Plan, PairsTheAxesOfAZip) {
  const Plan plan = plan_of(kWorkload +
                            "    zip: {context: [1k, 4k], pool_tokens: [64k, 128k]}\n"
                            "    sweep: {page_size: [1, 64]}\n");
  EXPECT_EQ(labels(plan.workloads[0]),
            (std::vector<std::string>{"context 1k, pool_tokens 64k, page_size 1",
                                      "context 1k, pool_tokens 64k, page_size 64",
                                      "context 4k, pool_tokens 128k, page_size 1",
                                      "context 4k, pool_tokens 128k, page_size 64"}));
}

TEST(Plan, MakesOnePointWithoutAxes) {
  const Plan plan = plan_of(kWorkload);
  ASSERT_EQ(plan.workloads[0].points.size(), 1u);
  EXPECT_TRUE(plan.workloads[0].axes.empty());
}

TEST(Plan, SkipsPointsWithTheirReason) {
  const Plan plan = plan_of(kWorkload +
                            "    sweep: {context: [1k, 64k, 128k], concurrency: [1, 8]}\n"
                            "    pool_tokens: 495552\n"
                            "    skip:\n"
                            "      - {context: [64k, 128k], concurrency: 8, reason: does not fit}\n"
                            "      - {context: 1k, reason: too short}\n");
  std::vector<std::string> reasons;
  for (const Point& point : plan.workloads[0].points) reasons.push_back(point.skip);
  EXPECT_EQ(reasons, (std::vector<std::string>{"too short", "too short", "", "does not fit", "",
                                               "does not fit"}));
}

TEST(Plan, RefusesAnImpossiblePointUnlessItIsSkipped) {
  const std::string point =
      kWorkload + "    sweep: {context: [1k, 128k], pool_tokens: [64k, 256k]}\n";
  EXPECT_EQ(complaint(point),
            "x.yaml:6:48: 1 x 128k tokens need 131072 slots, pool_tokens has 65536 (or skip: "
            "[{context: 128k, pool_tokens: 64k, reason: ...}])");
  EXPECT_EQ(complaint(point + "    skip: [{context: 128k, pool_tokens: 64k, reason: full}]\n"), "");
  EXPECT_EQ(complaint("workloads: {w: {runner: http, endpoint: \"http://a:b\", "
                      "sweep: {concurrency: [1, 2]}}}\n"),
            "x.yaml:1:41: endpoint: the port is no number from 1 to 65535");
}

TEST(Plan, TakesDefaultsThenTheWorkloadThenTheAxis) {
  const Plan plan = plan_of(
      "model: glm5\n"
      "defaults: {runner: fake, variants: [a, b], baseline: b, layers: 4, context: 1k, page_size: "
      "16,"
      " replicates: 8, deadline: 1m, sampling: {min_samples: 7, max_time: 2s}}\n"
      "workloads:\n"
      "  w: {page_size: 64, sampling: {max_samples: 9}, sweep: {context: [2k]}, replicates: 2}\n");
  const Workload& w = plan.workloads[0];
  const Parameters& p = w.points[0].parameters;
  EXPECT_EQ(w.runner, "fake");
  EXPECT_EQ(w.variants, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(w.baseline, "b");
  EXPECT_EQ(w.replicates, 2);
  EXPECT_EQ(w.deadline_s, 60);
  EXPECT_EQ(w.sampling.min_samples, 7);
  EXPECT_EQ(w.sampling.max_samples, 9);
  EXPECT_EQ(w.sampling.max_time.count(), 2);
  EXPECT_EQ(p.model, "glm5");
  EXPECT_EQ(p.heads, 64);
  EXPECT_EQ(p.layers, 4);
  EXPECT_EQ(p.page_size, 64);
  EXPECT_EQ(p.context, 2048);
}

TEST(Plan, SweepsModels) {
  const Plan plan = plan_of(
      "workloads: {w: {runner: kernel, variants: [a], layers: 2,"
      " sweep: {model: [glm5, deepseek-v3], context: [1k, 2k]}}}\n");
  const auto& points = plan.workloads[0].points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].parameters.heads, 64);
  EXPECT_EQ(points[3].parameters.heads, 128);
  EXPECT_EQ(points[3].parameters.model, "deepseek-v3");
  EXPECT_EQ(points[3].parameters.layers, 2);
}

TEST(Plan, GivesALiveServerOneVariant) {
  const Plan plan = plan_of(
      "defaults: {tensor_parallel: 8, heads: 20, pool_tokens: 64k}\n"
      "workloads: {w: {runner: http, endpoint: \"${BENCH_ENDPOINT}\", context: 128k}}\n");
  EXPECT_EQ(plan.workloads[0].variants, std::vector<std::string>{"server"});
  EXPECT_EQ(plan.workloads[0].baseline, "server");
  EXPECT_EQ(plan.workloads[0].points[0].parameters.endpoint, "http://127.0.0.1:30000");
}

TEST(Plan, IsNamedAfterItsFileUnlessItHasAName) {
  EXPECT_EQ(plan_of(kWorkload).name, "x");
  EXPECT_EQ(plan_of("name: glm5.nightly\n" + kWorkload).name, "glm5.nightly");
  EXPECT_EQ(plan_of(kWorkload).path, "x.yaml");
}

TEST(Plan, ReadsGatesAndRetention) {
  const Plan plan = plan_of(kWorkload +
                            "gates:\n  - {workload: w, metric: tpot_s, min_effect: 2%}\n"
                            "  - {workload: w, metric: tokens_per_s, relative_to: b}\n"
                            "keep: {samples: 30d, metrics: forever}\n");
  ASSERT_EQ(plan.gates.size(), 2u);
  EXPECT_EQ(plan.gates[0].workload, "w");
  EXPECT_EQ(plan.gates[0].metric, "tpot_s");
  EXPECT_EQ(plan.gates[0].min_effect, 0.02);
  EXPECT_EQ(plan.gates[0].relative_to, "");
  EXPECT_EQ(plan.gates[1].relative_to, "b");
  EXPECT_EQ(plan.keep,
            (std::map<std::string, std::string>{{"samples", "30d"}, {"metrics", "forever"}}));
}

TEST(Plan, ReadsServers) {
  const Plan plan = plan_of(kWorkload +
                            "servers:\n"
                            "  before:\n"
                            "    command: [python3, -m, sglang.launch_server]\n"
                            "    environment: {TOKEN: \"${TOKEN}\"}\n"
                            "    directory: /srv\n"
                            "    ready: http://127.0.0.1:30000/health\n"
                            "    deadline: 20m\n"
                            "    stop_signal: INT\n"
                            "    stop_deadline: 30s\n"
                            "    log: before.log\n"
                            "  after: {command: run.sh, ready: http://127.0.0.1:30000/health}\n");
  ASSERT_EQ(plan.servers.size(), 2u);
  const Server& before = plan.servers[0];
  EXPECT_EQ(before.name, "before");
  EXPECT_EQ(before.command, (std::vector<std::string>{"python3", "-m", "sglang.launch_server"}));
  EXPECT_EQ(before.environment, (std::map<std::string, std::string>{{"TOKEN", "${TOKEN}"}}));
  EXPECT_EQ(before.directory, "/srv");
  EXPECT_EQ(before.ready, "http://127.0.0.1:30000/health");
  EXPECT_EQ(before.deadline_s, 1200);
  EXPECT_EQ(before.stop_signal, "INT");
  EXPECT_EQ(before.stop_deadline_s, 30);
  EXPECT_EQ(before.log, "before.log");
  EXPECT_EQ(plan.servers[1].command, std::vector<std::string>{"run.sh"});
  EXPECT_EQ(plan.servers[1].stop_signal, "TERM");
}

TEST(Plan, ReadsTheGrammarOfTheDesign) {
  const Plan plan = plan_of(R"(
name: glm5
model: glm5                      # workloads/models/glm5.yaml
defaults: {tensor_parallel: 8, page_size: 1, placement: scattered, launch: graph}
workloads:
  single_stream:
    runner: kernel
    variants: [full_pool_cast, gather_cast, native_fp8]
    baseline: full_pool_cast
    sweep: {context: [1k, 4k, 16k, 64k, 128k], pool_tokens: [495552]}
  concurrency:
    runner: kernel
    variants: [gather_cast, native_fp8, bf16_pool]
    sweep: {concurrency: [1, 2, 4, 8, 16, 32, 64], context: [4k]}
  live:
    runner: http
    endpoint: ${BENCH_ENDPOINT}
    sweep: {concurrency: [1, 2, 4, 8, 16, 32], context: [1k, 8k], output_tokens: [256]}
servers:
  before: {command: ["..."], ready: http://127.0.0.1:30000/health, deadline: 20m}
gates:
  - {workload: single_stream, metric: tpot_s, min_effect: 2%}
keep: {samples: 30d, metrics: forever}
)");
  const auto points = [&](std::size_t workload) { return plan.workloads[workload].points.size(); };
  EXPECT_EQ(points(0), 5u);
  EXPECT_EQ(points(1), 7u);
  EXPECT_EQ(points(2), 12u);
  EXPECT_EQ(plan.workloads[1].baseline, "gather_cast");
  EXPECT_EQ(plan.workloads[0].points[4].parameters.context, 131072);
}

// No two points of a workload are one case, whatever the axes.
TEST(Plan, TellsAllItsCasesApart) {
  const Plan plan =
      plan_of(kWorkload +
              "    sweep: {context: [1k, 2k], launch: [graph, eager], k_scale: [1, 0.5]}\n"
              "    zip: {concurrency: [1, 2], query_tokens: [1, 1]}\n");
  const Workload& w = plan.workloads[0];
  std::vector<std::string> ids;
  for (const Point& point : w.points) {
    for (const std::string& variant : w.variants) ids.push_back(case_id(w.case_of(point, variant)));
  }
  std::ranges::sort(ids);
  EXPECT_EQ(ids.size(), 32u);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(Plan, HoldsALargeProduct) {
  std::string values = "1k";
  for (int value = 2; value <= 200; ++value) values += ", " + std::to_string(value) + "k";
  const Plan plan = plan_of(kWorkload + "    sweep: {context: [" + values +
                            "], query_tokens: [1, 2, 3, 4], page_size: [1, 16, 32, 64]}\n");
  EXPECT_EQ(plan.workloads[0].points.size(), 3200u);
}

}  // namespace
}  // namespace bench
