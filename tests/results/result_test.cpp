#include "results/result.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/error.h"

namespace bench {
namespace {

TEST(Status, EveryNameReadsBackToItself) {
  for (const auto status :
       {Status::ok, Status::incorrect, Status::failed, Status::crashed, Status::timeout,
        Status::out_of_memory, Status::skipped, Status::invalid}) {
    EXPECT_EQ(status_from(to_string(status)), status);
  }
  EXPECT_EQ(to_string(Status::out_of_memory), "out_of_memory");
}

TEST(Status, AnUnknownNameIsRefusedByName) {
  try {
    status_from("fine");
    FAIL() << "'fine' was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "'fine' is no status of a measurement");
  }
}

TEST(Metrics, ANameIsThereOnceAndEndsInItsUnit) {
  std::set<std::string_view> names;
  for (const auto& metric : metric_table()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_GE(metric.version, 1) << metric.name;
    EXPECT_FALSE(metric.definition.empty()) << metric.name;
    const std::string name(metric.name);
    EXPECT_TRUE(metric.unit != "s" || name.ends_with("_s")) << name;
    EXPECT_TRUE(metric.unit != "1/s" || name.find("_per_s") != name.npos) << name;
    EXPECT_TRUE(metric.unit != "bytes" || name.ends_with("_bytes")) << name;
  }
}

TEST(Metrics, LowerTimesAndHigherRatesAreBetter) {
  EXPECT_EQ(find_metric("tpot_s")->better, Better::lower);
  EXPECT_EQ(find_metric("output_tokens_per_s")->better, Better::higher);
  EXPECT_EQ(find_metric("tokens"), nullptr);
}

TEST(Measurement, AMetricItDoesNotHaveIsAbsentAndNotZero) {
  Measurement m;
  m.metrics = {{"tpot_s", 0.0956}};
  EXPECT_EQ(m.metric("tpot_s"), 0.0956);
  EXPECT_EQ(m.metric("ttft_s"), std::nullopt);
}

}  // namespace
}  // namespace bench
