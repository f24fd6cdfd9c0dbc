#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/check.h"
#include "kernels/variant.h"
#include "runners/rank_team.h"
#include "runners/runner.h"

namespace bench {

// One variant of the point under measurement.
struct Contender {
  const Case* what;
  const KernelVariant* variant;
  std::string note{};  // of its check
  std::vector<Stage> stages{};
  std::vector<std::optional<double>> clock_hz{};  // of the slowest rank in each step, warm-up too
  std::vector<std::vector<double>> rank_s{};      // [step, warm-up too][rank]
  std::vector<StageResult> stage_results{};
  Telemetry telemetry{};
};

// A point on all ranks: the same problem in each one's part, and every variant's step. All
// processes of a run go through the same calls in the same order.
class KernelPoint {
 public:
  KernelPoint(RankTeam& team, Hosts& hosts, const Parameters& parameters, std::uint64_t seed);

  [[nodiscard]] const StepShape& shape() const { return shape_; }  // of one rank
  // The worst that any rank found.
  CheckResult check(const KernelVariant& variant);
  void prepare(Contender& contender);
  // One step of all ranks: the slowest one's time, by the devices' own clocks.
  Seconds run(Contender& contender, std::size_t number);
  void measure_stages(Contender& contender, std::size_t number);

  // Bytes of one all-reduce; 0: the step has none.
  [[nodiscard]] double message_bytes() const;

 private:
  struct OnRank {
    std::unique_ptr<Problem> problem{};
    Together together{};
    std::vector<std::unique_ptr<Executable>> steps{};  // by number of the contender
  };
  OnRank& on(const Rank& rank);
  // Values of this process's ranks become those of all, in order of rank.
  std::vector<double> gather(const std::vector<double>& own);
  // What the devices of all processes said in the samples.
  void gather_telemetry(Contender& contender);

  RankTeam& team_;
  Hosts& hosts_;
  Parallel mode_;
  StepShape shape_;
  std::vector<OnRank> ranks_;  // of this process
};

// sample() with the processes of a run: the first one decides, the others follow and return
// nothing.
std::vector<Samples> sample_together(const Sampling& rule, const std::vector<TimedStep>& steps,
                                     std::mt19937_64& random, Hosts& hosts);

// Doubles as bytes and back.
std::string pack(const std::vector<double>& values);
std::vector<double> unpack_doubles(const std::string& bytes);

}  // namespace bench
