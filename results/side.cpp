#include "results/side.h"

#include <algorithm>

#include "harness/format.h"

namespace bench {
namespace {

Reading faulty(Word word, std::string reason) {
  return {.replicates = {}, .values = {}, .fault = word, .reason = std::move(reason)};
}

bool ended(const Measurement& m, std::initializer_list<Status> any_of) {
  return std::ranges::find(any_of, m.status) != any_of.end();
}

// The first measurement that spoils the whole case: a wrong or disturbed result is no result,
// whichever replicate showed it.
const Measurement* spoiling(const Side& side) {
  const auto it = std::ranges::find_if(side.measurements, [](const Measurement* m) {
    return m->negative_control || ended(*m, {Status::incorrect, Status::invalid});
  });
  return it == side.measurements.end() ? nullptr : *it;
}

std::string outcome(const Measurement& m) {
  return m.reason.empty() ? std::string(to_string(m.status))
                          : format("{}: {}", to_string(m.status), m.reason);
}

void collect(Reading& reading, const Side& side, std::string_view metric) {
  for (const Measurement* m : side.measurements) {
    const auto it = std::ranges::find(m->metrics, metric, &Metric::name);
    if (m->status != Status::ok || it == m->metrics.end()) continue;
    const MetricInfo* info = find_metric(metric);
    const int version = it->version != 0 || info == nullptr ? it->version : info->version;
    if (!reading.values.empty() && version != reading.version) {
      reading.fault = Word::invalid;
      reading.reason =
          format("its replicates mix versions {} and {} of {}", reading.version, version, metric);
    }
    reading.version = version;
    reading.replicates.push_back(m->replicate);
    reading.values.push_back(it->value);
  }
}

// Replicates that did not end well or never began.
void require_complete(Reading& reading, const Side& side) {
  const auto failed = std::ranges::find_if(
      side.measurements, [](const Measurement* m) { return m->status != Status::ok; });
  if (failed != side.measurements.end()) {
    reading.fault = Word::invalid;
    reading.reason = format("replicate {} {}", (*failed)->replicate, outcome(**failed));
    return;
  }
  if (side.planned != nullptr && std::ssize(side.measurements) < side.planned->replicates) {
    reading.fault = Word::missing;
    reading.reason = format("{} of {} replicates were measured", side.measurements.size(),
                            side.planned->replicates);
  }
}

}  // namespace

const Side* Sides::find(const CaseKey& key) const {
  const auto it = of.find(key);
  return it == of.end() ? nullptr : &it->second;
}

Sides sides_of(const RunRecord& run) {
  Sides sides;
  CaseIds ids;
  const auto side = [&](const std::string& workload, const Case& c) -> Side& {
    const auto [it, added] = sides.of.try_emplace({workload, ids.of(c)});
    if (added) sides.order.push_back(it->first);
    return it->second;
  };
  for (const PlannedCase& planned : run.plan) {
    if (planned.skip.empty()) side(planned.workload, planned.what).planned = &planned;
  }
  for (const Measurement& m : run.measurements) {
    side(m.workload, m.what).measurements.push_back(&m);
  }
  const auto caught = [](const Measurement* m) {
    return m->negative_control && m->status == Status::incorrect;
  };
  std::erase_if(sides.of, [&](const auto& entry) {
    const auto& measurements = entry.second.measurements;
    return !measurements.empty() && std::ranges::all_of(measurements, caught);
  });
  std::erase_if(sides.order, [&](const CaseKey& key) { return !sides.of.contains(key); });
  for (auto& [key, one] : sides.of) {
    std::ranges::sort(one.measurements, {}, &Measurement::replicate);
  }
  return sides;
}

bool unsupported(const Side& side) {
  return !side.measurements.empty() &&
         std::ranges::all_of(side.measurements,
                             [](const Measurement* m) { return m->status == Status::skipped; });
}

Reading read(const Side& side, std::string_view metric, Role role) {
  if (side.measurements.empty()) return faulty(Word::missing, "planned, but never measured");
  if (const Measurement* m = spoiling(side)) {
    if (m->negative_control) {
      return faulty(Word::invalid, format("a negative control ended {}: the check missed it",
                                          to_string(m->status)));
    }
    return faulty(Word::invalid, outcome(*m));
  }
  Reading reading{.replicates = {}, .values = {}};
  collect(reading, side, metric);
  if (reading.values.empty()) {
    const Measurement& first = *side.measurements.front();
    return faulty(Word::missing,
                  first.status == Status::ok ? format("has no {}", metric) : outcome(first));
  }
  if (role == Role::candidate && !reading.fault) require_complete(reading, side);
  return reading;
}

std::string disturbed(const Side& side) {
  std::vector<double> shares;
  for (const Measurement* m : side.measurements) {
    if (const auto share = m->metric("others_cpu_share")) shares.push_back(*share);
  }
  return disturbed(shares);
}

std::string disturbed(std::span<const double> shares) {
  if (shares.empty()) return {};
  const double share = mean(shares);
  if (share <= kMostOthersCpu) return {};
  return format("other processes used {:.0f} % of the CPU ({:.0f} % at most can be judged)",
                share * 100, kMostOthersCpu * 100);
}

std::string disturbed(const RunRecord& run) {
  const Sides sides = sides_of(run);
  std::string first;
  std::int64_t cases = 0;
  for (const CaseKey& key : sides.order) {
    const std::string why = disturbed(sides.of.at(key));
    if (why.empty()) continue;
    if (first.empty()) first = why;
    ++cases;
  }
  return first.empty() ? first : format("{} in {} of {} cases", first, cases, sides.of.size());
}

std::optional<double> clock_of(const Measurement& measurement) {
  if (!measurement.sample_clock_hz.empty()) return median(measurement.sample_clock_hz);
  if (measurement.telemetry.sm_clock_hz) return measurement.telemetry.sm_clock_hz;
  const auto cycles = measurement.metric("step_cycles");
  const auto time = measurement.metric("tpot_s");
  if (!cycles || !time || *time <= 0) return std::nullopt;
  return *cycles / *time;
}

std::optional<double> cycles_of(const Measurement& measurement) {
  if (const auto cycles = measurement.metric("step_cycles")) return cycles;
  const auto clock = clock_of(measurement);
  const auto time = measurement.metric("tpot_s");
  if (!clock || !time) return std::nullopt;
  return *clock * *time;
}

}  // namespace bench
