#include <map>

#include "harness/error.h"
#include "harness/format.h"
#include "results/codec.h"
#include "results/query.h"
#include "results/rows.h"

namespace bench {
namespace {

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
std::map<std::int64_t, std::size_t> load_plan(Database& database, RunRecord& record) {
  std::map<std::int64_t, std::size_t> places;
  auto rows = database.prepare(R"sql(
      SELECT p.id, p.workload, p.axes, p.label, p.is_baseline, p.replicates, p.skip,
          p.settings, c.runner, c.variant, c.parameters
      FROM planned_cases p JOIN cases c ON c.id = p.case_id
      WHERE p.run_id = ?1
      ORDER BY p.position)sql");
  for (rows.bind(record.info.number); rows.step();) {
    PlannedCase planned{read_case_row(rows, 8),
                        rows.text(1),
                        split(rows.text(2), ','),
                        rows.text(3),
                        rows.integer(4) != 0,
                        rows.integer(5),
                        rows.text(6)};
    const std::string settings = rows.text(7);
    if (settings != "{}") {
      read_into(planned.what.parameters, Json::parse(settings, "a stored case"));
    }
    places.emplace(rows.integer(0), record.plan.size());
    record.plan.push_back(std::move(planned));
  }
  return places;
}

constexpr std::string_view kStages =
    "SELECT stage, seconds, bytes FROM stages WHERE measurement_id = ?1 ORDER BY position";
constexpr std::string_view kMetricRows = R"sql(
      SELECT k.name, x.value, k.version
      FROM metrics x JOIN metric_kinds k ON k.id = x.kind_id
      WHERE x.measurement_id = ?1 ORDER BY k.id)sql";
constexpr std::string_view kSamples =
    "SELECT seconds, clock_hz FROM samples WHERE measurement_id = ?1";
constexpr std::string_view kSelectRankSamples =
    "SELECT seconds FROM rank_samples WHERE measurement_id = ?1";
constexpr std::string_view kRequests = "SELECT records FROM requests WHERE measurement_id = ?1";

// The rows that hang on a measurement; one set of statements for all of a run.
class Details {
 public:
  Details(Database& database, LoadSamples samples)
      : stages_(database.prepare(kStages)),
        metrics_(database.prepare(kMetricRows)),
        samples_(database.prepare(kSamples)),
        rank_samples_(database.prepare(kSelectRankSamples)),
        requests_(database.prepare(kRequests)),
        with_samples_(samples == LoadSamples::yes) {}

  void load(std::int64_t row, Measurement& m) {
    for (stages_.bind(row); stages_.step();) {
      m.stages.push_back({stages_.text(0), stages_.real(1), stages_.real(2)});
    }
    for (metrics_.bind(row); metrics_.step();) {
      m.metrics.push_back(
          {metrics_.text(0), metrics_.real(1), static_cast<int>(metrics_.integer(2))});
    }
    if (!with_samples_) return;
    if (requests_.bind(row).step()) m.requests = requests_.bytes(0);
    if (rank_samples_.bind(row).step()) m.rank_samples_s = rank_samples_.doubles(0);
    if (!samples_.bind(row).step()) return;
    m.samples_s = samples_.doubles(0);
    m.sample_clock_hz = samples_.doubles(1);
  }

 private:
  Statement stages_, metrics_, samples_, rank_samples_, requests_;
  bool with_samples_;
};

void load_measurements(Database& database, RunRecord& record, LoadSamples samples) {
  const auto places = load_plan(database, record);
  Details details(database, samples);
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
    details.load(rows.integer(0), m);
    record.measurements.push_back(std::move(m));
  }
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
