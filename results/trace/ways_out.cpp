#include "results/trace/ways_out.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/format.h"
#include "harness/statistics.h"
#include "harness/units.h"

namespace bench {
namespace {

const MeasuredGather* closest(const Waste& waste, std::span<const MeasuredGather> measured) {
  const auto distance = [&](const MeasuredGather& m) {
    return std::fabs(
        std::log(static_cast<double>(m.active_tokens) / static_cast<double>(waste.active_tokens)));
  };
  const MeasuredGather* best = nullptr;
  for (const MeasuredGather& m : measured) {
    if (waste.active_tokens == 0 || m.width != waste.width || distance(m) > std::log(1.5)) continue;
    const bool better = best == nullptr || distance(m) < distance(*best) ||
                        (distance(m) == distance(*best) && m.run > best->run);
    if (better) best = &m;
  }
  return best;
}

// What replaces the copy reads and writes the active rows alone.
WayOut gather_cast(const Waste& waste, const Ceiling& ceiling,
                   std::span<const MeasuredGather> measured) {
  WayOut way{.variant = "gather_cast", .basis = {}};
  if (const MeasuredGather* m = closest(waste, measured)) {
    way.instead_s = m->layer_seconds * static_cast<double>(waste.layers);
    way.basis = format("run {} at {} tokens", m->run, m->active_tokens);
  } else if (ceiling.bytes_per_s > 0) {
    const double bytes = waste.bytes_a_step() * waste.active_share();
    way.instead_s = bytes / ceiling.bytes_per_s;
    way.basis = format("{} over {}", format_bytes(bytes), ceiling.source);
  }
  way.saved_s = waste.seconds - way.instead_s;
  return way;
}

}  // namespace

Ceiling card_ceiling(double peak_bytes_per_s) {
  if (peak_bytes_per_s == 0) return {};
  return {peak_bytes_per_s, format("the card's {}", format_bandwidth(peak_bytes_per_s))};
}

Ceiling measured_ceiling(Store& store, const std::string& device_name, double peak_bytes_per_s) {
  auto rows = store.database().prepare(R"sql(
      SELECT d.copy_bytes_per_s, r.id FROM devices d JOIN runs r ON r.id = d.run_id
      WHERE d.name = ?1 AND d.copy_bytes_per_s IS NOT NULL
      ORDER BY r.started_unix_s DESC, r.uuid DESC LIMIT 1)sql");
  rows.bind(device_name);
  if (!rows.step()) return card_ceiling(peak_bytes_per_s);
  return {rows.real(0),
          format("the {} that run {} measured", format_bandwidth(rows.real(0)), rows.integer(1))};
}

std::vector<MeasuredGather> measured_gathers(Store& store, const std::string& device_name) {
  auto rows = store.database().prepare(R"sql(
      SELECT m.run_id, c.parameters ->> '$.context' * (c.parameters ->> '$.concurrency'),
             c.parameters ->> '$.kv_lora_rank' + (c.parameters ->> '$.qk_rope_head_dim'),
             sum(s.seconds) / (c.parameters ->> '$.layers')
      FROM measurements m JOIN planned_cases p ON p.id = m.planned_id
                          JOIN cases c ON c.id = p.case_id
                          JOIN stages s ON s.measurement_id = m.id
      WHERE m.run_id IN (SELECT run_id FROM devices WHERE name = ?1)
        AND m.status = 'ok' AND c.runner = 'kernel' AND c.variant = 'gather_cast'
        AND s.stage IN ('plan', 'gather', 'cast')
      GROUP BY m.id)sql");
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<double>> seconds;
  for (rows.bind(device_name); rows.step();) {
    seconds[{rows.integer(0), rows.integer(1), rows.integer(2)}].push_back(rows.real(3));
  }
  std::vector<MeasuredGather> found;
  for (const auto& [key, replicates] : seconds) {
    const auto& [run, active_tokens, width] = key;
    found.push_back({run, active_tokens, width, median(replicates)});
  }
  return found;
}

std::vector<WayOut> ways_out(const Waste& waste, const Ceiling& ceiling,
                             std::span<const MeasuredGather> measured) {
  std::vector<WayOut> ways;
  if (waste.active_tokens > 0) {
    WayOut way = gather_cast(waste, ceiling, measured);
    if (!way.basis.empty()) ways.push_back(std::move(way));
  }
  ways.push_back({.variant = "native_fp8", .saved_s = waste.seconds, .basis = {}});
  if (waste.from != waste.to && waste.from != "?") {
    ways.push_back(
        {.variant = "bf16_pool",
         .saved_s = waste.seconds,
         .pool_bytes = static_cast<double>(waste.written_bytes) * static_cast<double>(waste.layers),
         .basis = {}});
  }
  return ways;
}

}  // namespace bench
