// The parent and real worker processes (`bench worker`), playing the fake runner's script.
#include "runners/worker.h"

#include <gtest/gtest.h>

#include <map>

#include "results/run.h"
#include "tests/bench_binary.h"

namespace bench {
namespace {

const std::vector<std::string> kCommand{bench_binary(), "worker"};

Job job_of(const std::string& script, const std::vector<std::string>& variants) {
  Job job;
  job.workload.name = "scripted";
  job.workload.runner = "fake";
  job.workload.deadline_s = 5;
  job.workload.sampling.min_samples = 6;
  for (const std::int64_t context : {1024, 4096}) {
    std::vector<Case>& group = job.groups.emplace_back();
    for (const std::string& variant : variants) {
      Case& c = group.emplace_back(Case{.runner = "fake", .variant = variant});
      c.parameters.script = script;
      c.parameters.context = context;
    }
  }
  return job;
}

// Variant -> its measurements, context by context.
std::map<std::string, std::vector<Measurement>> measured(const Job& job) {
  std::map<std::string, std::vector<Measurement>> results;
  const std::atomic<bool> stop{false};
  const auto take = [&](const Measurement& m) { results[m.what.variant].push_back(m); };
  measure_job(job, kCommand, {.result = take}, stop);
  return results;
}

TEST(MeasureJob, GivesEachCaseExactlyOneResult) {
  const auto results = measured(job_of("a = 1us*context; b = 2ms@cast + 1ms", {"a", "b"}));
  ASSERT_EQ(results.at("a").size(), 2U);
  EXPECT_EQ(results.at("a")[0].workload, "scripted");
  EXPECT_DOUBLE_EQ(*results.at("a")[0].metric("tpot_s"), 1024e-6);
  EXPECT_DOUBLE_EQ(*results.at("a")[1].metric("tpot_s"), 4096e-6);
  ASSERT_EQ(results.at("b")[0].stages.size(), 1U);
  EXPECT_DOUBLE_EQ(results.at("b")[0].stages[0].seconds, 2e-3);
}

TEST(MeasureJob, TellsWhenEachCaseBeganAndWhatItTook) {
  const double before = unix_now();
  const auto results = measured(job_of("a = 1ms; b = 1ms", {"a", "b"}));
  double together = 0;
  for (const auto& [variant, measurements] : results) {
    for (const Measurement& m : measurements) {
      EXPECT_GE(m.started_unix_s, before);
      EXPECT_GT(m.wall_s, 0);
      together += m.wall_s;
    }
  }
  EXPECT_LE(together, unix_now() - before);  // each moment belongs to one case at most
}

TEST(MeasureJob, LosesOnlyTheCaseThatCrashes) {
  const auto results = measured(job_of("bad = crash; good = 1ms", {"bad", "good"}));
  ASSERT_EQ(results.at("bad").size(), 2U);
  for (const Measurement& m : results.at("bad")) {
    EXPECT_EQ(m.status, Status::crashed);
    EXPECT_NE(m.reason.find("signal 6"), std::string::npos) << m.reason;
  }
  for (const Measurement& m : results.at("good")) EXPECT_EQ(m.status, Status::ok);
}

TEST(MeasureJob, TellsApartHowWorkersEnd) {
  const auto results =
      measured(job_of("killed = kill; quiet = hang; full = oom; wrong = fail; exits = exit",
                      {"killed", "quiet", "full", "wrong", "exits"}));
  EXPECT_EQ(results.at("killed")[0].status, Status::out_of_memory);
  EXPECT_EQ(results.at("quiet")[0].status, Status::timeout);
  EXPECT_EQ(results.at("quiet")[0].reason, "the worker said nothing for 5.000 s (deadline)");
  EXPECT_EQ(results.at("full")[0].status, Status::out_of_memory);
  EXPECT_EQ(results.at("wrong")[0].status, Status::failed);
  EXPECT_EQ(results.at("wrong")[0].reason, "scripted failure");
  EXPECT_EQ(results.at("exits")[0].status, Status::crashed);
  EXPECT_EQ(results.at("exits")[0].reason, "the worker died with exit 1");
}

TEST(MeasureJob, NamesARunnerThatThisBuildLacks) {
  Job job = job_of("a = 1ms", {"a"});
  job.workload.runner = "quantum";
  const auto results = measured(job);
  EXPECT_NE(results.at("a")[0].reason.find("no runner 'quantum'"), std::string::npos);
}

TEST(MeasureJob, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  int results = 0;
  const auto take = [&](const Measurement&) { ++results; };
  measure_job(job_of("a = 1ms", {"a"}), kCommand, {.result = take}, stop);
  EXPECT_EQ(results, 0);
}

TEST(EstimateJob, PredictsWithoutMeasuring) {
  const Estimates estimates = estimate_job(job_of("a = 1ms; b = incorrect", {"a", "b"}), kCommand);
  ASSERT_EQ(estimates.points.size(), 2U);
  EXPECT_DOUBLE_EQ(estimates.points[0].cases[0].seconds, 1e-3);
  EXPECT_TRUE(estimates.points[0].cases[1].negative_control);
}

TEST(EstimateJob, PassesOnWhyTheWorkerCouldNotAnswer) {
  try {
    estimate_job(job_of("a = soon", {"a"}), kCommand);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("'soon' is not a time"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace bench
