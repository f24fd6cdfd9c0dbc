#include "results/nights.h"

#include "results/secrets.h"

namespace bench {
namespace {

// The number of a run, or NULL.
constexpr std::int64_t kNone = 0;

std::optional<std::int64_t> run_at(const Statement& row, int column) {
  const std::int64_t run = row.integer(column);
  return run == kNone ? std::nullopt : std::optional(run);
}

void write_night(Database& database, const Night& n) {
  auto upsert = database.prepare(R"sql(
      INSERT INTO nights (configuration, night, run_id, state, exit, notes, started_unix_s,
                          ended_unix_s)
      VALUES (?1, ?2, nullif(?3, 0), ?4, nullif(?5, -1), ?6, ?7, ?8)
      ON CONFLICT (configuration, night) DO UPDATE SET
        run_id = excluded.run_id, state = excluded.state, exit = excluded.exit,
        notes = excluded.notes, started_unix_s = excluded.started_unix_s,
        ended_unix_s = excluded.ended_unix_s)sql");
  upsert
      .bind(n.configuration, n.night, n.run.value_or(kNone), n.state, n.exit.value_or(-1),
            masked(n.notes), n.started_unix_s, n.ended_unix_s)
      .run();
}

void open(Database& database, const Night& night, const Incident& incident) {
  auto insert = database.prepare(R"sql(
      INSERT INTO incidents (configuration, kind, subject, words, run_id, reference_id,
                             opened_night)
      VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), nullif(?6, 0), ?7))sql");
  insert
      .bind(night.configuration, incident.kind, incident.subject, masked(incident.words),
            incident.run.value_or(kNone), incident.reference.value_or(kNone), night.night)
      .run();
}

}  // namespace

std::vector<Night> list_nights(Store& store, const std::string& configuration) {
  auto rows = store.database().prepare(R"sql(
      SELECT night, coalesce(run_id, 0), state, coalesce(exit, -1), notes, started_unix_s,
             ended_unix_s
      FROM nights WHERE configuration = ?1 ORDER BY night DESC)sql");
  std::vector<Night> nights;
  for (rows.bind(configuration); rows.step();) {
    const std::int64_t exit = rows.integer(3);
    nights.push_back({.configuration = configuration,
                      .night = rows.text(0),
                      .run = run_at(rows, 1),
                      .state = rows.text(2),
                      .exit = exit < 0 ? std::nullopt : std::optional(exit),
                      .notes = rows.text(4),
                      .started_unix_s = rows.real(5),
                      .ended_unix_s = rows.maybe_real(6)});
  }
  return nights;
}

void save_night(Store& store, const Night& night) {
  Transaction transaction(store.database());
  write_night(store.database(), night);
  transaction.commit();
}

std::vector<Incident> open_incidents(Store& store, const std::string& configuration) {
  auto rows = store.database().prepare(R"sql(
      SELECT id, kind, subject, words, coalesce(run_id, 0), coalesce(reference_id, 0), opened_night
      FROM incidents WHERE configuration = ?1 AND closed_night IS NULL ORDER BY id)sql");
  std::vector<Incident> incidents;
  for (rows.bind(configuration); rows.step();) {
    incidents.push_back({.id = rows.integer(0),
                         .kind = rows.text(1),
                         .subject = rows.text(2),
                         .words = rows.text(3),
                         .run = run_at(rows, 4),
                         .reference = run_at(rows, 5),
                         .opened = rows.text(6)});
  }
  return incidents;
}

void store_end(Store& store, const NightEnd& end, double now_unix_s) {
  Database& database = store.database();
  Transaction transaction(database);
  write_night(database, end.night);
  auto close = database.prepare("UPDATE incidents SET closed_night = ?2 WHERE id = ?1");
  for (const std::int64_t id : end.closed) close.bind(id, end.night.night).run();
  for (const Incident& incident : end.opened) open(database, end.night, incident);
  auto send = database.prepare(R"sql(
      INSERT INTO outbox (configuration, receiver, subject, text, json, created_unix_s, attempts,
                          error)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ''))sql");
  for (const Alert& m : end.messages) {
    send.bind(end.night.configuration, m.receiver, masked(m.subject), masked(m.text),
              masked(m.json), now_unix_s)
        .run();
  }
  transaction.commit();
}

std::vector<Alert> unsent(Store& store, const std::string& configuration) {
  auto rows = store.database().prepare(R"sql(
      SELECT id, receiver, subject, text, json, attempts FROM outbox
      WHERE configuration = ?1 AND sent_unix_s IS NULL ORDER BY id)sql");
  std::vector<Alert> messages;
  for (rows.bind(configuration); rows.step();) {
    messages.push_back({.id = rows.integer(0),
                        .receiver = rows.text(1),
                        .subject = rows.text(2),
                        .text = rows.text(3),
                        .json = rows.text(4),
                        .attempts = rows.integer(5)});
  }
  return messages;
}

void set_sent(Store& store, std::int64_t message, double now_unix_s) {
  store.database()
      .prepare(
          "UPDATE outbox SET attempts = attempts + 1, error = '', sent_unix_s = ?2 "
          "WHERE id = ?1")
      .bind(message, now_unix_s)
      .run();
}

void set_unsent(Store& store, std::int64_t message, const std::string& error) {
  store.database()
      .prepare("UPDATE outbox SET attempts = attempts + 1, error = ?2 WHERE id = ?1")
      .bind(message, masked(error))
      .run();
}

}  // namespace bench
