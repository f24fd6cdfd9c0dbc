#include "results/query.h"

#include <algorithm>

#include "harness/format.h"
#include "results/rows.h"
#include "results/secrets.h"

namespace bench {

std::vector<RunLine> list_runs(Store& store) {
  auto rows = store.database().prepare(format(R"sql(
      WITH
        planned AS (SELECT run_id, count(*) AS cases, sum(replicates) AS expected
                    FROM planned_cases WHERE skip = '' GROUP BY run_id),
        measured AS (SELECT run_id, count(*) AS measured,
                            sum(status NOT IN ('skipped', CASE negative_control
                                    WHEN 1 THEN 'incorrect' ELSE 'ok' END)) AS failed
                     FROM measurements GROUP BY run_id),
        pinned AS (SELECT b.run_id, max(b.accepted_unix_s)
                   FROM baselines b JOIN runs r ON r.id = b.run_id GROUP BY r.name, r.host)
      SELECT {}, planned.cases, planned.expected, measured.measured, measured.failed,
             r.id IN (SELECT run_id FROM pinned)
      FROM runs r LEFT JOIN planned ON planned.run_id = r.id
                  LEFT JOIN measured ON measured.run_id = r.id
      ORDER BY r.started_unix_s DESC, r.uuid DESC)sql",
                                              kInfoColumns));
  std::vector<RunLine> runs;
  while (rows.step()) {
    runs.push_back({read_info(rows), rows.integer(10), rows.integer(11), rows.integer(12),
                    rows.integer(13), rows.integer(14) != 0});
  }
  return runs;
}

std::vector<MeasurementKey> stored_measurements(Store& store, std::int64_t run) {
  auto rows = store.database().prepare(R"sql(
      SELECT p.workload, c.case_id, m.replicate
      FROM measurements m JOIN planned_cases p ON p.id = m.planned_id JOIN cases c ON c.id = p.case_id
      WHERE m.run_id = ?1)sql");
  std::vector<MeasurementKey> keys;
  for (rows.bind(run); rows.step();) keys.push_back({rows.text(0), rows.text(1), rows.integer(2)});
  std::ranges::sort(keys);
  return keys;
}

namespace {

std::optional<std::int64_t> newest_like(Store& store, const RunInfo& like,
                                        std::string_view status) {
  auto rows = store.database().prepare(R"sql(
      SELECT id FROM runs
      WHERE name = ?1 AND plan_source = ?2 AND host = ?3 AND (?4 = '' OR tag = ?4)
        AND (?5 = '' OR status = ?5)
      ORDER BY started_unix_s DESC, id DESC LIMIT 1)sql");
  const std::string host = like.host.empty() ? host_name() : like.host;
  return first_row(rows.bind(like.name, masked(like.plan_source), host, like.tag, status));
}

}  // namespace

std::optional<std::int64_t> find_interrupted(Store& store, const RunInfo& like) {
  return newest_like(store, like, "interrupted");
}

std::optional<std::int64_t> find_like(Store& store, const RunInfo& like) {
  return newest_like(store, like, "");
}

std::vector<Baseline> list_baselines(Store& store) {
  auto rows = store.database().prepare(R"sql(
      SELECT b.run_id, r.name, r.host, max(b.accepted_unix_s), b.notes
      FROM baselines b JOIN runs r ON r.id = b.run_id GROUP BY r.name, r.host
      ORDER BY r.name, r.host)sql");
  std::vector<Baseline> baselines;
  while (rows.step()) {
    baselines.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.real(3), rows.text(4)});
  }
  return baselines;
}

std::vector<StoredCase> find_cases(Store& store, std::string_view pattern) {
  auto rows = store.database().prepare(R"sql(
      SELECT c.case_id, c.canonical, count(DISTINCT p.run_id), c.runner, c.variant, c.parameters
      FROM cases c JOIN planned_cases p ON p.case_id = c.id
      GROUP BY c.id ORDER BY c.canonical)sql");
  const auto words = split(pattern, ' ');
  std::vector<StoredCase> cases;
  CaseRows read;
  while (rows.step()) {
    const std::string id = rows.text(0);
    const std::string canonical = rows.text(1);
    const auto occurs = [&](const std::string& word) { return canonical.find(word) != word.npos; };
    if (!id.starts_with(pattern) && !std::ranges::all_of(words, occurs)) continue;
    cases.push_back({id, read.read(rows, 3), canonical, rows.integer(2)});
  }
  return cases;
}

std::vector<HistoryPoint> history(Store& store, std::string_view case_id, std::string_view metric) {
  auto rows = store.database().prepare(format(R"sql(
      SELECT r.id, r.uuid, r.started_unix_s, r.fingerprint, p.workload, m.replicate, m.status,
             m.reason, x.value, k.version, r.host, o.value
      FROM cases c JOIN planned_cases p ON p.case_id = c.id
                   JOIN runs r ON r.id = p.run_id
                   JOIN measurements m ON m.planned_id = p.id
                   LEFT JOIN metrics x ON x.measurement_id = m.id
                     AND x.kind_id IN (SELECT id FROM metric_kinds WHERE name = ?2)
                   LEFT JOIN metric_kinds k ON k.id = x.kind_id
                   LEFT JOIN metrics o ON o.measurement_id = m.id AND o.kind_id IN
                     (SELECT id FROM metric_kinds WHERE name = 'others_cpu_share')
      WHERE c.case_id = ?1 AND {}
      ORDER BY r.started_unix_s, r.uuid, p.workload, m.replicate)sql",
                                              kNoRecheck));
  std::vector<HistoryPoint> points;
  for (rows.bind(case_id, metric); rows.step();) {
    points.push_back({rows.integer(0), rows.text(1), rows.real(2), rows.text(10), rows.text(3),
                      rows.text(4), rows.integer(5), status_from(rows.text(6)), rows.text(7),
                      rows.maybe_real(8), static_cast<int>(rows.integer(9)), rows.maybe_real(11)});
  }
  return points;
}

}  // namespace bench
