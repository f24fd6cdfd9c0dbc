#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics.h"
#include "results/result.h"
#include "workloads/workload.h"

namespace bench {

// The before/after table of one run as plain numbers; terminal and report only draw it.

// Share of the copy bandwidth that noise does not explain: data in a cache, or a bandwidth measured
// while the machine was busy.
inline constexpr double kAboveCeiling = 1.05;

// A stage of a case: medians over its replicates.
struct StageSummary {
  std::string stage;
  double seconds = 0;
  double bytes = 0;                    // declared, all layers
  std::optional<double> of_ceiling{};  // bytes / seconds over the measured copy bandwidth
};

struct ReplicateTime {
  std::int64_t replicate;
  double tpot_s;
};

// A case against the baseline variant of its point.
struct VariantChange {
  double ratio;                        // of the shown TPOTs, this over the baseline
  std::optional<Interval> interval{};  // 95 % of that ratio over replicates; none below two pairs
  std::int64_t pairs = 0;              // replicates that both have
};

// What leaving the baseline saved in a step, positive when faster.
struct Saving {
  double achieved_s;                    // of TPOT
  std::optional<double> predicted_s{};  // fewer declared bytes over the measured copy bandwidth
};

// One variant at one point, over its replicates.
struct CaseSummary {
  Case what;
  std::string case_id;
  std::optional<Status> status;  // the worst of its replicates; none: planned and not measured
  std::string reason;            // why it is not ok, or what else a replicate had to say
  std::int64_t planned = 0;      // replicates
  std::vector<const Measurement*> measurements;  // by replicate; owned by the caller of summarize
  std::vector<ReplicateTime> replicates;         // that have a speed, by number

  std::optional<double> tpot_s;            // median of the replicates' medians
  std::optional<double> projected_tpot_s;  // tpot_s + rest_of_step_s, where that is given
  std::optional<double> memory_bytes;      // on each device
  std::vector<StageSummary> stages;
  double bytes = 0;                      // of all stages
  std::optional<double> amplification;   // bytes over the bytes needed (design.md 3)
  std::optional<double> predicted_s{};   // bytes over the copy bandwidth; none when beaten
  std::optional<double> unattributed_s;  // tpot_s less the sum of the stages
  std::optional<VariantChange> change;   // none for the baseline and where either has no speed
  std::optional<Saving> saving;

  [[nodiscard]] const std::string& variant() const { return what.variant; }
  // A negative control that was found incorrect, as it must be.
  [[nodiscard]] bool is_sound_control() const;
  [[nodiscard]] std::string status_word() const;  // "ok", ..., "missing"
  [[nodiscard]] std::optional<double> metric(
      std::string_view name) const;  // median over replicates
};

struct PointSummary {
  Parameters parameters;
  std::string label{};               // the axes that vary: "context 4k"
  std::vector<CaseSummary> cases{};  // in the order of the workload's variants
};

// TPOT of one variant over pool size, everything else held.
struct PoolFit {
  std::string variant;
  std::string held;  // the other axes: "context 4k"; empty when there are none
  Line line;         // seconds over tokens
  double rise;       // of the line from the smallest pool to the largest, as a fraction
};

struct WorkloadSummary {
  std::string name;
  std::string runner;
  std::string baseline;           // a variant; empty: none
  std::string fixed;              // axes that have one value: "pool_tokens 495552"
  std::vector<std::string> axes;  // that vary
  std::vector<std::string> variants;
  std::vector<PointSummary> points;
  std::vector<PoolFit> pool_fits;
};

struct RunSummary {
  double copy_bytes_per_s = 0;  // 0: not measured
  std::vector<WorkloadSummary> workloads{};
};

// Planned cases without a measurement are kept as missing; measurements that no workload planned
// are added to it. Measurements must outlive the summary.
RunSummary summarize(std::span<const Workload> workloads, std::span<const Measurement> measurements,
                     double copy_bytes_per_s);

// The largest gain over a baseline in the run; nullptr members when nothing was compared.
struct Headline {
  const WorkloadSummary* workload = nullptr;
  const PointSummary* point = nullptr;
  const CaseSummary* winner = nullptr;
};
Headline headline(const RunSummary& summary);

// "native_fp8 is 312 x faster than full_pool_cast at context 1k, pool_tokens 495552"
std::string sentence(const Headline& found);

const CaseSummary* find_variant(const PointSummary& point, std::string_view variant);
const StageSummary* find_stage(const CaseSummary& c, std::string_view stage);

}  // namespace bench
