#include "results/store.h"

#include <filesystem>
#include <span>

#include "harness/error.h"
#include "harness/format.h"
#include "results/codec.h"
#include "results/migrations.h"
#include "results/secrets.h"
#include "results/unfinished_requests.h"

namespace bench {
namespace {

std::unique_ptr<Lock> take_lock(const std::string& path, Access access,
                                const std::string& purpose) {
  Database::check_path(path, access);
  if (access == Access::read) return nullptr;
  // Two names of one file share the lock.
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  return std::make_unique<Lock>(real.string() + ".lock", purpose);
}

std::string json_of(const Parameters& parameters, ParameterSet which) {
  JsonWriter out;
  write_json(out, parameters, which);
  return out.take();
}

// A reader's first look into a file of an older bench.
void bring_up_to_date(const std::string& path) {
  try {
    Database writer(path, Access::write);
    migrate(writer);
  } catch (const Error& error) {
    if (error.exit() != Exit::usage) throw;
    fail_usage(format("{}, and is of an older bench: read a copy, which will be brought up to date",
                      error.what()));
  }
}

// What the schema cannot check.
void check(const Measurement& m) {
  const auto& clocks = m.sample_clock_hz;
  if (!clocks.empty() && clocks.size() != m.samples_s.size()) {
    fail(format("{} samples but {} clocks: each sample has one, or none has", m.samples_s.size(),
                clocks.size()));
  }
  const auto& ranks = m.rank_samples_s;
  if (!ranks.empty() && (m.samples_s.empty() || ranks.size() % m.samples_s.size() != 0)) {
    fail(format("{} times of ranks for {} samples: each rank has one of each", ranks.size(),
                m.samples_s.size()));
  }
  if (m.status == Status::incorrect && !m.samples_s.empty()) {
    fail("an incorrect result keeps no speed: its samples cannot be stored");
  }
}

void add_samples(Database& database, std::int64_t row, const Measurement& m) {
  if (m.samples_s.empty()) return;
  database.prepare("INSERT INTO samples VALUES (?1, ?2, ?3, ?4)")
      .bind(row, static_cast<std::int64_t>(m.samples_s.size()), m.samples_s, m.sample_clock_hz)
      .run();
}

void add_rank_samples(Database& database, std::int64_t row, const Measurement& m) {
  if (m.rank_samples_s.empty()) return;
  const auto ranks = static_cast<std::int64_t>(m.rank_samples_s.size() / m.samples_s.size());
  database.prepare("INSERT INTO rank_samples VALUES (?1, ?2, ?3)")
      .bind(row, ranks, m.rank_samples_s)
      .run();
}

void add_requests(Database& database, std::int64_t row, const Measurement& m) {
  const std::string records = take_requests(database, row) + m.requests;
  if (records.empty()) return;
  database.prepare("INSERT INTO requests VALUES (?1, ?2)")
      .bind(row, std::as_bytes(std::span(records)))
      .run();
}

void add_stages(Database& database, std::int64_t row, const std::vector<StageResult>& stages) {
  auto insert = database.prepare("INSERT INTO stages VALUES (?1, ?2, ?3, ?4, ?5)");
  std::int64_t position = 0;
  for (const auto& s : stages) insert.bind(row, position++, s.stage, s.seconds, s.bytes).run();
}

void add_devices(Database& database, std::int64_t run, const std::vector<DeviceRecord>& devices) {
  auto insert = database.prepare("INSERT OR REPLACE INTO devices VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  for (const auto& d : devices) {
    insert.bind(run, d.kind, d.ordinal, d.name, d.uuid, d.copy_bytes_per_s).run();
  }
}

void add_facts(Database& database, std::int64_t run, const std::vector<Fact>& facts) {
  auto insert = database.prepare("INSERT INTO facts VALUES (?1, ?2, ?3, ?4)");
  for (const auto& f : facts) insert.bind(run, f.name, masked(f.value), to_string(f.role)).run();
}

std::int64_t add_info(Database& database, const RunInfo& info) {
  auto insert = database.prepare(R"sql(
      INSERT INTO runs (uuid, name, status, started_unix_s, ended_unix_s, host, tag, notes,
          argv, plan_source, fingerprint)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11))sql");
  insert
      .bind(info.id, info.name, to_string(info.status), info.started_unix_s, info.ended_unix_s,
            info.host, info.tag, masked(info.notes), masked(info.argv), masked(info.plan_source),
            info.fingerprint)
      .run();
  return database.last_row();
}

}  // namespace

Store::Store(const std::string& path, Access access, const std::string& purpose)
    : lock_(take_lock(path, access, purpose)), database_(path, access) {
  if (access == Access::write) {
    migrate(database_);
    database_.execute("UPDATE runs SET status = 'interrupted' WHERE status = 'running'");
  } else if (schema_version(database_) < static_cast<std::int64_t>(migrations().size())) {
    bring_up_to_date(path);
  }
}

std::int64_t Store::add(RunRecord record) {
  if (record.info.id.empty()) record.info.id = new_run_id();
  if (record.info.started_unix_s == 0) record.info.started_unix_s = unix_now();
  if (record.info.host.empty()) record.info.host = host_name();
  record.info.fingerprint = fingerprint(record.environment);
  Transaction transaction(database_);
  const std::int64_t run = add_info(database_, record.info);
  add_facts(database_, run, record.environment);
  add_devices(database_, run, record.devices);
  std::int64_t position = 0;
  for (const auto& planned : record.plan) add_planned(run, position++, planned);
  for (const auto& measurement : record.measurements) add_measurement(run, measurement);
  transaction.commit();
  return run;
}

void Store::add(std::int64_t run, const Measurement& measurement) {
  Transaction transaction(database_);
  add_measurement(run, measurement);
  transaction.commit();
}

void Store::set_environment(std::int64_t run, const std::vector<Fact>& facts) {
  Transaction transaction(database_);
  database_.prepare("DELETE FROM facts WHERE run_id = ?1").bind(run).run();
  add_facts(database_, run, facts);
  database_.prepare("UPDATE runs SET fingerprint = ?2 WHERE id = ?1")
      .bind(run, fingerprint(facts))
      .run();
  transaction.commit();
}

void Store::set_device(std::int64_t run, const DeviceRecord& device) {
  Transaction transaction(database_);
  add_devices(database_, run, {device});
  transaction.commit();
}

void Store::resume(std::int64_t run) {
  Transaction transaction(database_);
  database_.prepare("UPDATE runs SET status = 'running', ended_unix_s = NULL WHERE id = ?1")
      .bind(run)
      .run();
  drop_requests(database_, run);
  transaction.commit();
}

void Store::end(std::int64_t run, RunStatus status) {
  database_.prepare("UPDATE runs SET status = ?2, ended_unix_s = ?3 WHERE id = ?1")
      .bind(run, to_string(status), unix_now())
      .run();
}

void Store::accept_baseline(std::int64_t run, const std::string& notes) {
  auto status = database_.prepare("SELECT status FROM runs WHERE id = ?1");
  if (!status.bind(run).step()) fail_usage(format("there is no run {}", run));
  if (status.text(0) != "complete") {
    fail_usage(format("run {} is {}: only a complete run can be a baseline", run, status.text(0)));
  }
  database_.prepare("INSERT INTO baselines (run_id, accepted_unix_s, notes) VALUES (?1, ?2, ?3)")
      .bind(run, unix_now(), masked(notes))
      .run();
}

void Store::add_planned(std::int64_t run, std::int64_t position, const PlannedCase& planned) {
  auto insert = database_.prepare(R"sql(
      INSERT INTO planned_cases (run_id, case_id, workload, position, axes, label,
          is_baseline, replicates, skip, settings)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))sql");
  insert
      .bind(run, case_row(planned.what), planned.workload, position,
            format("{}", join(planned.axes, ",")), planned.label, planned.is_baseline,
            planned.replicates, planned.skip,
            masked(json_of(planned.what.parameters, ParameterSet::settings)))
      .run();
}

void Store::add_measurement(std::int64_t run, const Measurement& m) {
  check(m);
  const auto& t = m.telemetry;
  auto insert = database_.prepare(R"sql(
      INSERT INTO measurements (planned_id, run_id, replicate, status, reason,
          started_unix_s, wall_s, sample_count, temperature_c, power_w, energy_j,
          sm_clock_hz, throttle_reasons, other_processes, negative_control)
      SELECT p.id, p.run_id, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
      FROM planned_cases p JOIN cases c ON c.id = p.case_id
      WHERE p.run_id = ?1 AND p.workload = ?2 AND c.case_id = ?3)sql");
  insert
      .bind(run, m.workload, case_id(m.what), m.replicate, to_string(m.status), masked(m.reason),
            m.started_unix_s, m.wall_s, static_cast<std::int64_t>(m.samples_s.size()),
            t.temperature_c, t.power_w, t.energy_j, t.sm_clock_hz, t.throttle_reasons,
            masked(t.other_processes), std::int64_t{m.negative_control})
      .run();
  if (database_.changes() == 0) {
    fail(format("run {} did not plan the case {} in workload '{}'", run, canonical(m.what),
                m.workload));
  }
  const std::int64_t row = database_.last_row();
  add_samples(database_, row, m);
  add_rank_samples(database_, row, m);
  add_requests(database_, row, m);
  add_stages(database_, row, m.stages);
  auto add_metric = database_.prepare("INSERT INTO metrics VALUES (?1, ?2, ?3)");
  for (const auto& metric : m.metrics) {
    add_metric.bind(row, metric_kind_row(metric), metric.value).run();
  }
}

std::int64_t Store::case_row(const Case& c) {
  const std::string id = case_id(c);
  const std::string words = canonical(c);
  auto find = database_.prepare("SELECT id, canonical FROM cases WHERE case_id = ?1");
  if (find.bind(id).step()) {
    if (find.text(1) == words) return find.integer(0);
    fail(format("two cases share the id {}: {} and {}", id, find.text(1), words));
  }
  auto insert = database_.prepare(R"sql(
      INSERT INTO cases (case_id, canonical, runner, variant, parameters)
      VALUES (?1, ?2, ?3, ?4, ?5))sql");
  insert.bind(id, words, c.runner, c.variant, json_of(c.parameters, ParameterSet::identity)).run();
  return database_.last_row();
}

std::int64_t Store::metric_kind_row(const Metric& metric) {
  const MetricInfo* known = find_metric(metric.name);
  const std::int64_t version =
      metric.version != 0 || known == nullptr ? metric.version : known->version;
  auto find = database_.prepare("SELECT id FROM metric_kinds WHERE name = ?1 AND version = ?2");
  if (find.bind(metric.name, version).step()) return find.integer(0);
  // A counter of an imported file has no row in the table; a rate says so in its name.
  const bool rate = metric.name.find("_per_s") != std::string::npos;
  const bool higher = known != nullptr ? known->better == Better::higher : rate;
  const bool current = known != nullptr && known->version == version;
  auto insert = database_.prepare(R"sql(
      INSERT INTO metric_kinds (name, version, unit, better, definition)
      VALUES (?1, ?2, ?3, ?4, ?5))sql");
  insert
      .bind(metric.name, version, known != nullptr ? known->unit : "", higher ? "higher" : "lower",
            current ? known->definition : "")
      .run();
  return database_.last_row();
}

}  // namespace bench
