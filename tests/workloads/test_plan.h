#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "harness/error.h"
#include "workloads/plan.h"

namespace bench {

inline const std::string kSourceTree = BENCH_SOURCE_FOLDER;

// A machine with the shipped models, all runners and one variable.
inline PlanOptions test_options() {
  PlanOptions options;
  options.model_folders = {kSourceTree + "/workloads/models"};
  options.runners = {"fake", "http", "kernel"};
  options.metrics = {"tokens_per_s", "tpot_s"};
  options.environment = [](const std::string& name) -> std::optional<std::string> {
    return name == "BENCH_ENDPOINT" ? std::optional<std::string>("http://127.0.0.1:30000")
                                    : std::nullopt;
  };
  return options;
}

// A configuration of one kernel workload, `w`; more keys of it, or of the file, may follow.
inline const std::string kWorkload =
    "workloads:\n  w:\n    runner: kernel\n    model: glm5\n    variants: [a, b]\n";

inline Plan plan_of(const std::string& text, const PlanOptions& options = test_options()) {
  return parse_plan(text, "x.yaml", options);
}

// What a configuration is refused with; empty: it is accepted.
inline std::string complaint(const std::string& text, const PlanOptions& options = test_options()) {
  try {
    plan_of(text, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.what();
  }
  return "";
}

}  // namespace bench
