#include "results/prune.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/format.h"

namespace bench {
namespace {

// Measurements of runs that began before ?1 and are no pinned baseline.
constexpr std::string_view kOld = R"sql(
      SELECT m.id FROM measurements m JOIN runs r ON r.id = m.run_id
      WHERE r.started_unix_s < ?1 AND r.id NOT IN (
        SELECT run_id FROM (SELECT b.run_id, max(b.accepted_unix_s) FROM baselines b
                            JOIN runs n ON n.id = b.run_id GROUP BY n.name)))sql";

std::vector<std::int64_t> rows_to_thin(Database& database, double before, std::int64_t keep) {
  auto rows = database.prepare(format(
      "SELECT measurement_id FROM samples WHERE count > ?2 AND measurement_id IN ({})", kOld));
  std::vector<std::int64_t> ids;
  for (rows.bind(before, keep); rows.step();) ids.push_back(rows.integer(0));
  return ids;
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

void thin(Database& database, const std::vector<std::int64_t>& rows, std::int64_t keep) {
  auto read = database.prepare("SELECT seconds, clock_hz FROM samples WHERE measurement_id = ?1");
  auto write = database.prepare(
      "UPDATE samples SET count = ?2, seconds = ?3, clock_hz = ?4 WHERE measurement_id = ?1");
  auto remove = database.prepare("DELETE FROM samples WHERE measurement_id = ?1");
  for (const std::int64_t row : rows) {
    if (keep == 0) {
      remove.bind(row).run();
      continue;
    }
    if (!read.bind(row).step()) continue;
    write.bind(row, keep, thinned(read.doubles(0), keep), thinned(read.doubles(1), keep)).run();
  }
}

}  // namespace

PruneResult prune(Store& store, const PruneRule& rule, double now_unix_s) {
  Database& database = store.database();
  const auto size = [&] {
    return static_cast<std::int64_t>(std::filesystem::file_size(database.path()));
  };
  const std::int64_t bytes = size();
  const double before = now_unix_s - rule.older_than.count();
  Transaction transaction(database);
  const auto rows = rows_to_thin(database, before, rule.keep_samples);
  thin(database, rows, rule.keep_samples);
  // The records of a live server's requests are raw samples too; they cannot be thinned.
  auto remove = database.prepare(format("DELETE FROM requests WHERE measurement_id IN ({})", kOld));
  remove.bind(before).run();
  bool changed = !rows.empty() || database.changes() > 0;
  auto unfinished = database.prepare(R"sql(
      DELETE FROM unfinished_requests WHERE planned_id IN (
        SELECT p.id FROM planned_cases p JOIN runs r ON r.id = p.run_id
        WHERE r.started_unix_s < ?1))sql");
  unfinished.bind(before).run();
  changed = changed || database.changes() > 0;
  transaction.commit();
  if (changed) database.execute("VACUUM");
  return {static_cast<std::int64_t>(rows.size()), bytes - size()};
}

}  // namespace bench
