// The configurations that ship, as a user without a server has them.
#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

Plan shipped(const std::string& name, bool with_endpoint) {
  PlanOptions options = test_options();
  if (!with_endpoint) options.environment = nullptr;
  return load_plan(kSourceTree + "/configs/" + name, options);
}

const Workload& workload(const Plan& plan, const std::string& name) {
  for (const Workload& candidate : plan.workloads) {
    if (candidate.name == name) return candidate;
  }
  throw Error("no workload " + name);
}

TEST(Configs, QuickstartIsTheIncidentAtTwoLayers) {
  const Plan plan = shipped("quickstart.yaml", false);
  for (const Workload& w : plan.workloads) {
    EXPECT_EQ(w.runner, "kernel");
    EXPECT_EQ(w.baseline, "full_pool_cast");
    EXPECT_EQ(w.replicates, 3);
    for (const Point& point : w.points) {
      EXPECT_EQ(point.parameters.layers, 2);
      EXPECT_EQ(point.parameters.heads / point.parameters.tensor_parallel, 8);
      EXPECT_EQ(point.parameters.kv_lora_rank + point.parameters.qk_rope_head_dim, 576);
      EXPECT_EQ(point.skip, "");
    }
  }
  EXPECT_EQ(workload(plan, "single_stream").points[2].parameters.context, 16384);
  EXPECT_EQ(workload(plan, "single_stream").points[2].parameters.pool_tokens, 495552);
  EXPECT_EQ(workload(plan, "pool_size").points[0].parameters.pool_tokens, 65536);
  EXPECT_EQ(workload(plan, "pool_size").points[3].parameters.pool_tokens, 495552);
}

TEST(Configs, Glm5PassesTheLiveServerOverWhereThereIsNone) {
  const Plan plan = shipped("glm5.yaml", false);
  for (const Point& point : workload(plan, "live").points) {
    EXPECT_EQ(point.skip, "environment variable BENCH_ENDPOINT is not set");
  }
  const Parameters& p = workload(plan, "single_stream").points[0].parameters;
  EXPECT_EQ(workload(plan, "single_stream").points[0].skip, "");
  EXPECT_EQ(p.layers, 78);
  EXPECT_EQ(p.pool_tokens, 495552);
  EXPECT_EQ(p.tensor_parallel, 8);
  EXPECT_DOUBLE_EQ(p.rest_of_step_s, 0.031);
  EXPECT_FALSE(p.rest_of_step_source.empty());
}

TEST(Configs, Glm5MeasuresTheLiveServerWhereThereIsOne) {
  const Plan plan = shipped("glm5.yaml", true);
  const Workload& live = workload(plan, "live");
  EXPECT_EQ(live.points.size(), 12u);
  for (const Point& point : live.points) {
    EXPECT_EQ(point.skip, "");
    EXPECT_EQ(point.parameters.endpoint, "http://127.0.0.1:30000");
  }
}

TEST(Configs, WhatAGateJudgesIsMeasuredOftenEnough) {
  for (const char* name : {"glm5.yaml", "http.yaml"}) {
    const Plan plan = shipped(name, true);
    EXPECT_FALSE(plan.gates.empty()) << name;
    for (const Gate& gate : plan.gates) {
      EXPECT_GE(workload(plan, gate.workload).replicates, 8) << name << ", " << gate.workload;
    }
  }
}

TEST(Configs, HttpNeedsItsEndpoint) {
  EXPECT_EQ(shipped("http.yaml", true).workloads.size(), 2u);
  EXPECT_EQ(shipped("quickstart-http.yaml", true).workloads.size(), 1u);
  EXPECT_THROW(shipped("quickstart-http.yaml", false), Error);
  try {
    shipped("http.yaml", false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("environment variable BENCH_ENDPOINT is not set (export "
                        "BENCH_ENDPOINT=..., or --set single_stream.endpoint=...)"),
              std::string::npos)
        << error.what();
  }
}

TEST(Configs, SmokeNeedsNothing) {
  for (const Workload& w : shipped("smoke.yaml", false).workloads) {
    EXPECT_EQ(w.runner, "fake");
    for (const std::string& variant : w.variants) {
      EXPECT_NE(w.points[0].parameters.script.find(variant + " = "), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace bench
