#include "results/merge.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/error.h"
#include "harness/format.h"
#include "results/migrations.h"

namespace bench {
namespace {

// The other database as schema `other` of the store's connection.
class Attached {
 public:
  Attached(Database& database, const std::string& path) : database_(database) {
    database_.prepare("ATTACH ?1 AS other").bind(path).run();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() {
    try {
      database_.execute("DETACH other");
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the connection closes it
    }
  }

 private:
  Database& database_;
};

// Rows told by their own names. A run still marked running there has a writer elsewhere, or none;
// 'complete' < 'interrupted' as words, so min() takes the one that got further.
constexpr const char* kRuns = R"sql(
  INSERT INTO cases (case_id, canonical, runner, variant, parameters)
    SELECT case_id, canonical, runner, variant, parameters FROM other.cases WHERE true
    ON CONFLICT (case_id) DO NOTHING;
  INSERT INTO metric_kinds (name, version, unit, better, definition)
    SELECT name, version, unit, better, definition FROM other.metric_kinds WHERE true
    ON CONFLICT (name, version) DO NOTHING;
  INSERT INTO runs (uuid, name, status, started_unix_s, ended_unix_s, host, tag, notes, argv,
                    plan_source, fingerprint)
    SELECT uuid, name, iif(status = 'running', 'interrupted', status), started_unix_s,
           ended_unix_s, host, tag, notes, argv, plan_source, fingerprint
    FROM other.runs WHERE true ORDER BY started_unix_s, uuid
    ON CONFLICT (uuid) DO UPDATE SET
      status = min(status, excluded.status),
      ended_unix_s = coalesce(max(ended_unix_s, excluded.ended_unix_s), ended_unix_s,
                              excluded.ended_unix_s);
)sql";

// merged_runs: the row of each of the other's runs here, and there.
constexpr const char* kPlans = R"sql(
  CREATE TEMP TABLE merged_runs AS
    SELECT o.id AS there, r.id AS here FROM other.runs o JOIN main.runs r ON r.uuid = o.uuid;
  INSERT INTO facts SELECT here, name, value, role
    FROM other.facts JOIN merged_runs ON there = run_id WHERE true
    ON CONFLICT (run_id, name) DO UPDATE SET value = min(value, excluded.value);
  INSERT INTO devices SELECT here, kind, ordinal, name, uuid, copy_bytes_per_s
    FROM other.devices JOIN merged_runs ON there = run_id WHERE true
    ON CONFLICT (run_id, kind, ordinal) DO UPDATE SET copy_bytes_per_s =
      coalesce(max(copy_bytes_per_s, excluded.copy_bytes_per_s), copy_bytes_per_s,
               excluded.copy_bytes_per_s);
  INSERT INTO baselines (run_id, accepted_unix_s, notes) SELECT here, accepted_unix_s, notes
    FROM other.baselines JOIN merged_runs ON there = run_id WHERE true
    ON CONFLICT (run_id, accepted_unix_s) DO NOTHING;
  INSERT INTO planned_cases (run_id, case_id, workload, position, axes, label, is_baseline,
                             replicates, skip, settings)
    SELECT here, c.id, workload, position, axes, label, is_baseline, replicates, skip, settings
    FROM other.planned_cases p JOIN merged_runs ON there = p.run_id
         JOIN other.cases o ON o.id = p.case_id JOIN main.cases c ON c.case_id = o.case_id
    WHERE true ON CONFLICT (run_id, workload, case_id) DO NOTHING;
)sql";

// merged: each of the other's measurements, with the planned case it is of here.
constexpr const char* kMeasurements = R"sql(
  CREATE TEMP TABLE merged AS
    SELECT m.*, here AS run_here, p.id AS planned_here
    FROM other.measurements m JOIN merged_runs ON there = m.run_id
         JOIN other.planned_cases o ON o.id = m.planned_id
         JOIN other.cases oc ON oc.id = o.case_id
         JOIN main.cases c ON c.case_id = oc.case_id
         JOIN main.planned_cases p ON p.run_id = here AND p.workload = o.workload AND p.case_id = c.id;
  DELETE FROM main.measurements WHERE id IN (
    SELECT m.id FROM main.measurements m
    JOIN merged x ON x.planned_here = m.planned_id AND x.replicate = m.replicate
    WHERE (x.started_unix_s, x.status, x.wall_s) < (m.started_unix_s, m.status, m.wall_s));
  INSERT INTO measurements (planned_id, run_id, replicate, status, reason, started_unix_s, wall_s,
                            sample_count, temperature_c, power_w, energy_j, sm_clock_hz,
                            throttle_reasons, other_processes, negative_control)
    SELECT planned_here, run_here, replicate, status, reason, started_unix_s, wall_s,
           sample_count, temperature_c, power_w, energy_j, sm_clock_hz, throttle_reasons,
           other_processes, negative_control
    FROM merged WHERE true ON CONFLICT (planned_id, replicate) DO NOTHING;
)sql";

// What hangs on a measurement that is the same on both sides. Of samples, the fuller row stays.
constexpr const char* kDetails = R"sql(
  CREATE TEMP TABLE merged_same AS
    SELECT x.id AS there, m.id AS here FROM merged x JOIN main.measurements m
      ON m.planned_id = x.planned_here AND m.replicate = x.replicate
    WHERE (x.started_unix_s, x.status, x.wall_s) = (m.started_unix_s, m.status, m.wall_s);
  INSERT INTO samples SELECT here, count, seconds, clock_hz
    FROM other.samples JOIN merged_same ON there = measurement_id WHERE true
    ON CONFLICT (measurement_id) DO UPDATE SET count = excluded.count, seconds = excluded.seconds,
      clock_hz = excluded.clock_hz WHERE excluded.count > count;
  INSERT INTO rank_samples SELECT here, ranks, seconds
    FROM other.rank_samples JOIN merged_same ON there = measurement_id WHERE true
    ON CONFLICT (measurement_id) DO NOTHING;
  INSERT INTO requests SELECT here, records
    FROM other.requests JOIN merged_same ON there = measurement_id WHERE true
    ON CONFLICT (measurement_id) DO NOTHING;
  INSERT INTO stages SELECT here, position, stage, seconds, bytes
    FROM other.stages JOIN merged_same ON there = measurement_id WHERE true
    ON CONFLICT (measurement_id, position) DO NOTHING;
  INSERT INTO metrics SELECT here, k.id, value
    FROM other.metrics x JOIN merged_same ON there = x.measurement_id
         JOIN other.metric_kinds o ON o.id = x.kind_id
         JOIN main.metric_kinds k ON k.name = o.name AND k.version = o.version
    WHERE true ON CONFLICT (measurement_id, kind_id) DO NOTHING;
  DROP TABLE merged_runs; DROP TABLE merged; DROP TABLE merged_same;
)sql";

// A version 1 bench reads what a version 1 bench wrote: an older file is copied and the copy
// brought up, so that the original stays as it is.
std::string readable_copy(const std::string& path, const ScratchFolder& scratch) {
  Database other(path, Access::read);
  const std::int64_t version = schema_version(other);
  if (const auto damage = other.text("PRAGMA quick_check"); damage != "ok") {
    fail(format("{} is damaged ({}); it was left untouched", path, damage));
  }
  if (version == static_cast<std::int64_t>(migrations().size())) return path;
  std::string copy = scratch.file("merge.db");
  other.copy_to(copy);
  Database upgraded(copy, Access::write);
  migrate(upgraded);
  return copy;
}

void check_identities(Database& database) {
  auto collision = database.prepare(R"sql(
      SELECT a.canonical, b.canonical FROM main.cases a JOIN other.cases b USING (case_id)
      WHERE a.canonical <> b.canonical)sql");
  if (collision.step()) {
    fail(format("two cases share one id: {} and {}", collision.text(0), collision.text(1)));
  }
}

MergeResult count(Database& database) {
  return {database.integer("SELECT count(*) FROM main.runs"),
          database.integer("SELECT count(*) FROM main.measurements")};
}

}  // namespace

MergeResult merge(Store& store, const std::string& path) {
  Database& database = store.database();
  Database::check_path(path, Access::read);
  if (std::filesystem::equivalent(path, database.path()))
    fail_usage(path + " cannot be merged into itself");
  const ScratchFolder scratch;
  const Attached other(database, readable_copy(path, scratch));
  check_identities(database);
  const MergeResult before = count(database);
  Transaction transaction(database);
  for (const char* script : {kRuns, kPlans, kMeasurements, kDetails}) database.execute(script);
  transaction.commit();
  const MergeResult after = count(database);
  return {after.runs - before.runs, after.measurements - before.measurements};
}

ScratchFolder::ScratchFolder()
    : path_((std::filesystem::temp_directory_path() / "bench_XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr)
    fail(format("{} cannot be made ({})", path_, std::strerror(errno)));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bench
