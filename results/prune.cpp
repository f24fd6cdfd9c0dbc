#include "results/prune.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "harness/format.h"
#include "results/history_series.h"
#include "results/query.h"
#include "results/row.h"

namespace bench {
namespace {

void add_change_points(Store& store, std::int64_t run, const std::string& metric,
                       std::set<std::int64_t>& spared) {
  for (const HistorySeries& series : series_of_plan(store, run, metric)) {
    for (const Change& change : changes_of(series).changes) {
      spared.insert(series.points[change.begin - 1].run);
      spared.insert(series.points[change.begin].run);
      spared.insert(series.points[change.end].run);
    }
  }
}

// Runs beside a change of a case that the newest run of its configuration and host still measures.
std::set<std::int64_t> beside_changes(Store& store) {
  std::set<std::int64_t> spared;
  std::set<std::pair<std::string, std::string>> done;
  for (const RunLine& line : list_runs(store)) {  // newest first
    if (is_recheck(line.info.name) || !done.insert({line.info.name, line.info.host}).second) {
      continue;
    }
    const RunRecord run = load_run(store, line.info.number, LoadSamples::no);
    for (const std::string& metric : main_metrics_of(run.plan)) {
      add_change_points(store, line.info.number, metric, spared);
    }
  }
  return spared;
}

// Runs that stay whole whatever their age.
std::set<std::int64_t> find_spared(Store& store) {
  std::set<std::int64_t> spared = beside_changes(store);
  auto rows = store.database().prepare(R"sql(
      SELECT run_id FROM baselines
      UNION SELECT run_id FROM incidents WHERE run_id IS NOT NULL
      UNION SELECT reference_id FROM incidents WHERE reference_id IS NOT NULL
      UNION SELECT max(o.id) FROM incidents i JOIN runs r ON r.id = i.run_id
              JOIN runs o ON o.name = r.name AND o.host = r.host AND o.id < r.id GROUP BY i.id)sql");
  while (rows.step()) spared.insert(rows.integer(0));
  return spared;
}

// Runs of ?2 (empty: of any configuration) that began before ?1.
constexpr std::string_view kOld =
    "SELECT id FROM runs WHERE started_unix_s < ?1 AND (?2 = '' OR name = ?2)";

// Those of them that may be pruned.
std::string without(const std::set<std::int64_t>& spared) {
  return format("{} AND id NOT IN ({})", kOld, join(spared, ","));
}

// The room that a row of so many bytes takes in the file: what does not fit a page has pages of its
// own.
std::string room_of(const std::string& bytes) {
  return format("CASE WHEN {0} > 4096 THEN ({0} + 8191) / 8192 * 8192 ELSE coalesce({0}, 0) END",
                bytes);
}

// Old runs with what their samples and requests take. `keep`, ?3: samples of a measurement that
// stay.
std::string old_bytes(const std::string& runs) {
  const std::string bytes = "(length(s.seconds) + length(s.clock_hz))";
  return format(R"sql(
      SELECT r.id, r.name, r.started_unix_s, coalesce(sum(s.count > ?3), 0),
             total(CASE WHEN s.count > ?3 THEN {} - {} ELSE 0 END) + total({}) + total({})
      FROM runs r JOIN measurements m ON m.run_id = r.id
                  LEFT JOIN samples s ON s.measurement_id = m.id
                  LEFT JOIN requests q ON q.measurement_id = m.id
                  LEFT JOIN rank_samples k ON k.measurement_id = m.id
      WHERE r.id IN ({})
      GROUP BY r.id
      HAVING sum(s.count > ?3) > 0 OR total(length(q.records)) > 0 OR total(length(k.seconds)) > 0
      ORDER BY r.started_unix_s)sql",
                room_of(bytes), room_of(format("({} * ?3 / s.count)", bytes)),
                room_of("length(q.records)"), room_of("length(k.seconds)"), runs);
}

void add_forgotten(Store& store, const std::string& old, double before, const PruneRule& rule,
                   std::vector<PrunedRun>& pruned) {
  auto rows = store.database().prepare(format(
      "SELECT id, name, started_unix_s FROM runs WHERE id IN ({}) ORDER BY started_unix_s", old));
  for (rows.bind(before, rule.configuration); rows.step();) {
    const std::int64_t run = rows.integer(0);
    auto known = std::ranges::find(pruned, run, &PrunedRun::run);
    if (known == pruned.end()) {
      known =
          pruned.insert(known, {.run = run, .name = rows.text(1), .started_unix_s = rows.real(2)});
    }
    known->forgotten = true;
  }
}

// `keep` of the values, evenly spaced, the first and the last among them.
std::vector<double> thinned(const std::vector<double>& values, std::int64_t keep) {
  std::vector<double> kept;
  if (values.empty()) return kept;
  const auto last = static_cast<std::int64_t>(values.size()) - 1;
  for (std::int64_t i = 0; i < keep; ++i) {
    const std::int64_t place = keep == 1 ? last / 2 : i * last / (keep - 1);
    kept.push_back(values[static_cast<std::size_t>(place)]);
  }
  return kept;
}

void thin(Database& database, std::int64_t run, std::int64_t keep) {
  auto find = database.prepare(R"sql(
      SELECT measurement_id FROM samples WHERE count > ?2
        AND measurement_id IN (SELECT id FROM measurements WHERE run_id = ?1))sql");
  std::vector<std::int64_t> found;
  for (find.bind(run, keep); find.step();) found.push_back(find.integer(0));
  auto read = database.prepare("SELECT seconds, clock_hz FROM samples WHERE measurement_id = ?1");
  auto write = database.prepare(
      "UPDATE samples SET count = ?2, seconds = ?3, clock_hz = ?4 WHERE measurement_id = ?1");
  auto remove = database.prepare("DELETE FROM samples WHERE measurement_id = ?1");
  for (const std::int64_t row : found) {
    if (keep == 0) {
      remove.bind(row).run();
    } else if (read.bind(row).step()) {
      write.bind(row, keep, thinned(read.doubles(0), keep), thinned(read.doubles(1), keep)).run();
    }
  }
}

void prune_run(Database& database, const PrunedRun& pruned, std::int64_t keep) {
  if (pruned.forgotten) {
    database.prepare("DELETE FROM runs WHERE id = ?1").bind(pruned.run).run();
    return;
  }
  thin(database, pruned.run, keep);
  // The records of a live server's requests are raw samples too; they cannot be thinned. Nor are
  // the times of each rank, which stand beside samples that would be gone.
  for (const char* table : {"requests", "rank_samples"}) {
    database
        .prepare(format("DELETE FROM {} WHERE measurement_id IN"
                        " (SELECT id FROM measurements WHERE run_id = ?1)",
                        table))
        .bind(pruned.run)
        .run();
  }
}

void drop_unfinished(Database& database, double before, const std::string& configuration) {
  database
      .prepare(R"sql(DELETE FROM unfinished_requests WHERE planned_id IN (
          SELECT p.id FROM planned_cases p JOIN runs r ON r.id = p.run_id
          WHERE r.started_unix_s < ?1 AND (?2 = '' OR r.name = ?2)))sql")
      .bind(before, configuration)
      .run();
}

}  // namespace

PruneResult plan_prune(Store& store, const PruneRule& rule, double now_unix_s) {
  Database& database = store.database();
  const std::set<std::int64_t> spared = find_spared(store);
  const double before = now_unix_s - rule.older_than.count();
  PruneResult result;
  auto rows = database.prepare(old_bytes(without(spared)));
  for (rows.bind(before, rule.configuration, rule.keep_samples); rows.step();) {
    result.runs.push_back({.run = rows.integer(0),
                           .name = rows.text(1),
                           .started_unix_s = rows.real(2),
                           .measurements = rows.integer(3),
                           .bytes = rows.real(4)});
  }
  if (rule.forget_after) {
    add_forgotten(store, without(spared), now_unix_s - rule.forget_after->count(), rule,
                  result.runs);
  }
  for (const PrunedRun& run : result.runs) {
    result.measurements += run.measurements;
    result.bytes += static_cast<std::int64_t>(run.bytes);
  }
  auto old = database.prepare(kOld);
  for (old.bind(before, rule.configuration); old.step();) {
    result.spared += spared.contains(old.integer(0)) ? 1 : 0;
  }
  return result;
}

PruneResult prune(Store& store, const PruneRule& rule, double now_unix_s) {
  Database& database = store.database();
  const auto size = [&] {
    return static_cast<std::int64_t>(std::filesystem::file_size(database.path()));
  };
  const std::int64_t bytes = size();
  PruneResult result = plan_prune(store, rule, now_unix_s);
  for (const PrunedRun& run : result.runs) {
    Transaction transaction(database);
    prune_run(database, run, rule.keep_samples);
    transaction.commit();
  }
  Transaction transaction(database);
  drop_unfinished(database, now_unix_s - rule.older_than.count(), rule.configuration);
  transaction.commit();
  constexpr std::int64_t kWorthIt = 20;
  const std::int64_t free = database.integer("PRAGMA freelist_count");
  if (free * kWorthIt > database.integer("PRAGMA page_count")) database.execute("VACUUM");
  result.bytes = bytes - size();
  return result;
}

}  // namespace bench
