#include <unordered_map>

#include "harness/error.h"
#include "harness/format.h"
#include "results/codec.h"
#include "results/query.h"
#include "results/rows.h"

namespace bench {
namespace {

// Which row of a table is which element of the record.
using Places = std::unordered_map<std::int64_t, std::size_t>;

std::vector<Fact> load_facts(Database& database, std::int64_t run) {
  std::vector<Fact> facts;
  auto rows = database.prepare("SELECT name, value, role FROM facts WHERE run_id = ?1");
  for (rows.bind(run); rows.step();) {
    facts.push_back({rows.text(0), rows.text(1), fact_role_from(rows.text(2))});
  }
  return facts;
}

std::vector<DeviceRecord> load_devices(Database& database, std::int64_t run) {
  std::vector<DeviceRecord> devices;
  auto rows = database.prepare(
      "SELECT kind, ordinal, name, uuid, copy_bytes_per_s FROM devices WHERE run_id = ?1");
  for (rows.bind(run); rows.step();) {
    devices.push_back({rows.text(0), static_cast<int>(rows.integer(1)), rows.text(2), rows.text(3),
                       rows.maybe_real(4)});
  }
  return devices;
}

// Fills the plan, and says which row of planned_cases is which element of it.
Places load_plan(Database& database, RunRecord& record) {
  Places places;
  CaseRows cases;
  auto rows = database.prepare(R"sql(
      SELECT p.id, p.workload, p.axes, p.label, p.is_baseline, p.replicates, p.skip,
          p.settings, c.runner, c.variant, c.parameters
      FROM planned_cases p JOIN cases c ON c.id = p.case_id
      WHERE p.run_id = ?1
      ORDER BY p.position)sql");
  for (rows.bind(record.info.number); rows.step();) {
    PlannedCase planned{cases.read(rows, 8, rows.text(7)),
                        rows.text(1),
                        split(rows.text(2), ','),
                        rows.text(3),
                        rows.integer(4) != 0,
                        rows.integer(5),
                        rows.text(6)};
    places.emplace(rows.integer(0), record.plan.size());
    record.plan.push_back(std::move(planned));
  }
  return places;
}

// What hangs on the measurements of a run, from one statement a table: eight thousand short ones
// take longer. In the order of the index that finds the measurements: nothing is sorted.
constexpr std::string_view kStages = R"sql(
      SELECT m.id, x.stage, x.seconds, x.bytes
      FROM measurements m JOIN stages x ON x.measurement_id = m.id
      WHERE m.run_id = ?1 ORDER BY m.status, m.negative_control, m.id, x.position)sql";
constexpr std::string_view kMetricRows = R"sql(
      SELECT m.id, k.name, x.value, k.version
      FROM measurements m JOIN metrics x ON x.measurement_id = m.id
          JOIN metric_kinds k ON k.id = x.kind_id
      WHERE m.run_id = ?1 ORDER BY m.status, m.negative_control, m.id, x.kind_id)sql";
constexpr std::string_view kSamples = R"sql(
      SELECT m.id, x.seconds, x.clock_hz
      FROM measurements m JOIN samples x ON x.measurement_id = m.id WHERE m.run_id = ?1)sql";
constexpr std::string_view kSelectRankSamples = R"sql(
      SELECT m.id, x.seconds
      FROM measurements m JOIN rank_samples x ON x.measurement_id = m.id WHERE m.run_id = ?1)sql";
constexpr std::string_view kRequests = R"sql(
      SELECT m.id, x.records
      FROM measurements m JOIN requests x ON x.measurement_id = m.id WHERE m.run_id = ?1)sql";

// Calls take(measurement, row) for each of its rows.
template <typename Take>
void load_details(Database& database, std::string_view sql, RunRecord& record, const Places& places,
                  const Take& take) {
  auto rows = database.prepare(sql);
  for (rows.bind(record.info.number); rows.step();) {
    take(record.measurements[places.at(rows.integer(0))], rows);
  }
}

void load_figures(Database& database, RunRecord& record, const Places& places) {
  load_details(database, kStages, record, places, [](Measurement& m, const Statement& row) {
    m.stages.push_back({row.text(1), row.real(2), row.real(3)});
  });
  load_details(database, kMetricRows, record, places, [](Measurement& m, const Statement& row) {
    m.metrics.push_back({row.text(1), row.real(2), static_cast<int>(row.integer(3))});
  });
}

void load_samples(Database& database, RunRecord& record, const Places& places) {
  load_details(database, kSamples, record, places, [](Measurement& m, const Statement& row) {
    m.samples_s = row.doubles(1);
    m.sample_clock_hz = row.doubles(2);
  });
  load_details(database, kSelectRankSamples, record, places,
               [](Measurement& m, const Statement& row) { m.rank_samples_s = row.doubles(1); });
  load_details(database, kRequests, record, places,
               [](Measurement& m, const Statement& row) { m.requests = row.bytes(1); });
}

void load_measurements(Database& database, RunRecord& record, LoadSamples samples) {
  const auto places = load_plan(database, record);
  Places measured;
  auto rows = database.prepare(R"sql(
      SELECT m.id, m.planned_id, m.replicate, m.status, m.reason, m.started_unix_s, m.wall_s,
          m.temperature_c, m.power_w, m.energy_j, m.sm_clock_hz, m.throttle_reasons,
          m.other_processes, m.negative_control
      FROM measurements m JOIN planned_cases p ON p.id = m.planned_id
      WHERE m.run_id = ?1
      ORDER BY p.position, m.replicate)sql");
  for (rows.bind(record.info.number); rows.step();) {
    const PlannedCase& planned = record.plan[places.at(rows.integer(1))];
    Measurement m;
    m.what = planned.what;
    m.workload = planned.workload;
    m.replicate = rows.integer(2);
    m.status = status_from(rows.text(3));
    m.reason = rows.text(4);
    m.started_unix_s = rows.real(5);
    m.wall_s = rows.real(6);
    m.telemetry = {rows.maybe_real(7),  rows.maybe_real(8), rows.maybe_real(9),
                   rows.maybe_real(10), rows.text(11),      rows.text(12)};
    m.negative_control = rows.integer(13) != 0;
    measured.emplace(rows.integer(0), record.measurements.size());
    record.measurements.push_back(std::move(m));
  }
  load_figures(database, record, measured);
  if (samples == LoadSamples::yes) load_samples(database, record, measured);
}

}  // namespace

RunInfo load_info(Store& store, std::int64_t run) {
  auto rows = store.database().prepare(
      format("SELECT {}, r.argv, r.plan_source FROM runs r WHERE r.id = ?1", kInfoColumns));
  if (!rows.bind(run).step()) fail_usage(format("there is no run {}", run));
  RunInfo info = read_info(rows);
  info.argv = rows.text(10);
  info.plan_source = rows.text(11);
  return info;
}

RunRecord load_run(Store& store, std::int64_t run, LoadSamples samples) {
  Transaction one_moment(store.database(), Access::read);
  RunRecord record;
  record.info = load_info(store, run);
  record.environment = load_facts(store.database(), run);
  record.devices = load_devices(store.database(), run);
  load_measurements(store.database(), record, samples);
  return record;
}

}  // namespace bench
