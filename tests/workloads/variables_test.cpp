#include "workloads/variables.h"

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

std::optional<std::string> environment(const std::string& name) {
  if (name == "HOST") return "gpu-1";
  if (name == "EMPTY") return "";
  return std::nullopt;
}

TEST(Variables, AreReplacedByTheirValues) {
  EXPECT_EQ(expand_variables("http://${HOST}:${PORT:-30000}/", environment).text,
            "http://gpu-1:30000/");
  EXPECT_EQ(expand_variables("${HOST:-x}${HOST}", environment).text, "gpu-1gpu-1");
  EXPECT_EQ(expand_variables("$HOST costs 5$ {HOST}", environment).text, "$HOST costs 5$ {HOST}");
  EXPECT_EQ(expand_variables("${PORT:-}", environment).text, "");
}

TEST(Variables, AreNotExpandedAgain) {
  const auto nested = [](const std::string&) { return std::optional<std::string>("${HOST}"); };
  EXPECT_EQ(expand_variables("${A}", nested).text, "${HOST}");
}

TEST(Variables, ThatAreUnsetOrEmptyAreNamed) {
  EXPECT_EQ(expand_variables("${PORT}${OTHER}", environment).unset, "PORT");
  EXPECT_EQ(expand_variables("${EMPTY}", environment).unset, "EMPTY");
  EXPECT_EQ(expand_variables("${HOST}", environment).unset, "");
  EXPECT_EQ(expand_variables("${HOST}", nullptr).unset, "HOST");
}

TEST(Variables, MustBeWellFormed) {
  for (const std::string text :
       {"${", "${}", "${HOST", "${1A}", "${A-B}", "a ${ HOST}", "${:-x}"}) {
    EXPECT_THROW(expand_variables(text, environment), Error) << text;
  }
}

TEST(Variables, AreNeverExpandedInTheStoredSource) {
  const std::string text =
      "workloads: {w: {runner: http, endpoint: \"${BENCH_ENDPOINT}\", api_key_file: "
      "\"${KEYS:-k}\"}}\n"
      "servers: {s: {command: [run, \"${SECRET}\"], ready: \"${URL}/health\"}}\n";
  PlanOptions options = test_options();
  options.set = {"w.context=1k"};
  const Plan plan = plan_of(text, options);
  EXPECT_EQ(plan.workloads[0].points[0].parameters.endpoint, "http://127.0.0.1:30000");
  EXPECT_EQ(plan.workloads[0].points[0].parameters.api_key_file, "k");
  EXPECT_EQ(plan.source.find("127.0.0.1"), std::string::npos);
  EXPECT_NE(plan.source.find("${BENCH_ENDPOINT}"), std::string::npos);
  EXPECT_EQ(plan.servers[0].command, (std::vector<std::string>{"run", "${SECRET}"}));
}

// A value that is wrong is not shown either: it may hold a password.
TEST(Variables, AreNotShownInComplaints) {
  PlanOptions options = test_options();
  options.environment = [](const std::string&) {
    return std::optional<std::string>("ftp://me:pw@h");
  };
  EXPECT_EQ(complaint("workloads: {w: {runner: http, endpoint: \"${BENCH_ENDPOINT}\"}}\n", options),
            "x.yaml:1:41: endpoint: expected http://... or https://...");
}

}  // namespace
}  // namespace bench
