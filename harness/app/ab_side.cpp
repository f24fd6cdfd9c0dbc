#include "harness/app/ab_side.h"

#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "harness/app/interrupt.h"
#include "harness/app/paths.h"
#include "harness/app/plan_options.h"
#include "harness/error.h"
#include "harness/format.h"
#include "runners/worker.h"
#include "workloads/plan.h"

namespace bench {
namespace {

class CommandSide : public AbSide {
 public:
  explicit CommandSide(std::string command) : command_(std::move(command)) {
    cases_.push_back({.what = {.runner = "command", .variant = command_, .parameters = {}},
                      .workload = "command",
                      .label = {}});
  }
  [[nodiscard]] const std::vector<AbCase>& cases() const override { return cases_; }

  std::vector<double> measure(std::int64_t /*replicate*/) override {
    const auto start = std::chrono::steady_clock::now();
    // What the user typed, as a shell runs it. NOLINTNEXTLINE(cert-env33-c)
    const int status = std::system(format("({}) >/dev/null", command_).c_str());
    const Seconds time = std::chrono::steady_clock::now() - start;
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fail(format("'{}' did not end well ({})", command_,
                  WIFEXITED(status) ? format("exit {}", WEXITSTATUS(status)) : "killed"));
    }
    return {time.count()};
  }

 private:
  std::string command_;
  std::vector<AbCase> cases_;
};

class ConfigSide : public AbSide {
 public:
  ConfigSide(Plan plan, std::string metric) : plan_(std::move(plan)), metric_(std::move(metric)) {
    for (const Workload& workload : plan_.workloads) {
      for (const Point& point : workload.points) {
        if (!point.skip.empty()) continue;
        for (const std::string& variant : workload.variants) {
          cases_.push_back({.what = workload.case_of(point, variant),
                            .workload = workload.name,
                            .label = label(point.parameters, workload.axes)});
        }
      }
    }
    if (cases_.empty()) fail_usage(format("{} measures nothing", plan_.path));
  }
  [[nodiscard]] const std::vector<AbCase>& cases() const override { return cases_; }

  std::vector<double> measure(std::int64_t replicate) override {
    std::vector<double> values;
    for (const Workload& workload : plan_.workloads) measure_workload(workload, replicate, values);
    return values;
  }

 private:
  void measure_workload(const Workload& workload, std::int64_t replicate,
                        std::vector<double>& values) const {
    Job job{.workload = workload,
            .groups = {},
            .replicate = replicate,
            .seed = static_cast<std::uint64_t>(replicate)};
    for (const Point& point : workload.points) {
      if (!point.skip.empty()) continue;
      auto& group = job.groups.emplace_back();
      for (const std::string& variant : workload.variants) {
        group.push_back(workload.case_of(point, variant));
      }
    }
    const std::size_t first = values.size();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    for (const auto& group : job.groups) values.resize(values.size() + group.size(), kNone);
    const auto take = [&](const Measurement& m) { place(m, workload, first, values); };
    measure_job(job, {"/proc/self/exe", "worker"}, {.result = take}, interrupted());
    if (interrupted()) fail("interrupted");
  }

  // Puts the value where cases() has its case.
  void place(const Measurement& m, const Workload& workload, std::size_t first,
             std::vector<double>& values) const {
    if (m.status == Status::incorrect || m.status == Status::skipped) return;
    const auto value = m.metric(metric_);
    if (m.status != Status::ok || !value) {
      fail(format("{}, {}: {} {}", workload.name, m.what.variant, to_string(m.status),
                  m.status == Status::ok ? "without " + metric_ : m.reason));
    }
    const std::string id = case_id(m.what);
    for (std::size_t i = first; i < values.size(); ++i) {
      if (case_id(cases_[i].what) == id) values[i] = *value;
    }
  }

  Plan plan_;
  std::string metric_;
  std::vector<AbCase> cases_;
};

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::unique_ptr<AbSide> make_ab_side(const std::string& text, const std::string& metric,
                                     const Arguments& arguments) {
  const std::vector<std::string> words = split_words(text);
  if (words.empty()) fail_usage("bench ab: a side is empty");
  if (!words[0].ends_with(".yaml") && !words[0].ends_with(".yml")) {
    return std::make_unique<CommandSide>(text);
  }
  PlanOptions options = plan_options(arguments);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool last = i + 1 == words.size();
    if (word == "--set" && !last) {
      options.set.push_back(words[++i]);
    } else if (word == "--only" && !last) {
      options.only.push_back(words[++i]);
    } else {
      fail_usage(
          format("bench ab: '{}' after a configuration (write --set KEY=VALUE or --only "
                 "PATTERN)",
                 word));
    }
  }
  return std::make_unique<ConfigSide>(load_plan(find_config(words[0]).string(), options), metric);
}

}  // namespace bench
