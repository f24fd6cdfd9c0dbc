#include "results/unfinished_requests.h"

#include <span>

#include "harness/format.h"

namespace bench {

void keep_requests(Store& store, std::int64_t run, const MeasurementKey& key,
                   std::string_view records) {
  auto insert = store.database().prepare(R"sql(
      INSERT INTO unfinished_requests (planned_id, replicate, records)
      SELECT p.id, ?4, ?5 FROM planned_cases p JOIN cases c ON c.id = p.case_id
      WHERE p.run_id = ?1 AND p.workload = ?2 AND c.case_id = ?3)sql");
  insert.bind(run, key.workload, key.case_id, key.replicate, std::as_bytes(std::span(records)))
      .run();
}

std::vector<Unfinished> load_unfinished(Store& store, std::int64_t run) {
  std::vector<Unfinished> all;
  auto rows = store.database().prepare(R"sql(
      SELECT p.workload, p.label, u.replicate, u.records
      FROM unfinished_requests u JOIN planned_cases p ON p.id = u.planned_id
      WHERE p.run_id = ?1 ORDER BY p.position, u.replicate, u.id)sql");
  for (rows.bind(run); rows.step();) {
    const std::int64_t replicate = rows.integer(2);
    const bool same = !all.empty() && all.back().workload == rows.text(0) &&
                      all.back().label == rows.text(1) && all.back().replicate == replicate;
    if (!same) all.push_back({rows.text(0), rows.text(1), replicate, {}});
    all.back().records += rows.bytes(3);
  }
  return all;
}

std::string take_requests(Database& database, std::int64_t measurement_row) {
  constexpr std::string_view kSame =
      "FROM unfinished_requests WHERE (planned_id, replicate) = "
      "(SELECT planned_id, replicate FROM measurements WHERE id = ?1)";
  std::string records;
  auto rows = database.prepare(format("SELECT records {} ORDER BY id", kSame));
  for (rows.bind(measurement_row); rows.step();) records += rows.bytes(0);
  if (!records.empty()) {
    database.prepare(format("DELETE {}", kSame)).bind(measurement_row).run();
  }
  return records;
}

void drop_requests(Database& database, std::int64_t run) {
  database
      .prepare(
          "DELETE FROM unfinished_requests WHERE planned_id IN "
          "(SELECT id FROM planned_cases WHERE run_id = ?1)")
      .bind(run)
      .run();
}

}  // namespace bench
