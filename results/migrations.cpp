#include "results/migrations.h"

#include <array>

#include "harness/error.h"
#include "harness/format.h"
#include "results/schema.h"

namespace bench {
namespace {

// Requests of cases that are not done: kept as they finish, moved to `requests` with the
// measurement.
constexpr std::string_view kUnfinishedRequests = R"sql(
CREATE TABLE unfinished_requests (
  id INTEGER PRIMARY KEY,                     -- in the order of their coming
  planned_id INTEGER NOT NULL REFERENCES planned_cases ON DELETE CASCADE,
  replicate INTEGER NOT NULL CHECK (replicate >= 0),
  records BLOB NOT NULL                       -- of some requests, as in `requests`
) STRICT;
CREATE INDEX unfinished_requests_by_case ON unfinished_requests (planned_id, replicate);
)sql";

// What a box does by itself at night. These rows are its own: a merge leaves them behind.
constexpr std::string_view kNights = R"sql(
CREATE TABLE nights (
  id INTEGER PRIMARY KEY,
  configuration TEXT NOT NULL,
  night TEXT NOT NULL CHECK (night GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  run_id INTEGER REFERENCES runs ON DELETE SET NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'judged', 'not measured')),
  exit INTEGER,                               -- of `bench nightly`; NULL: it has not ended
  notes TEXT NOT NULL,                        -- why it was not measured; interruptions
  started_unix_s REAL NOT NULL CHECK (abs(started_unix_s) < 1e300),
  ended_unix_s REAL CHECK (abs(ended_unix_s) < 1e300),
  UNIQUE (configuration, night)
) STRICT;

-- What was told once and stays true until it is closed: a regression, a case that cannot be judged.
CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  configuration TEXT NOT NULL,
  kind TEXT NOT NULL,                         -- regression, improvement, drift, unjudged, ...
  subject TEXT NOT NULL,                      -- of what: workload, case and metric
  words TEXT NOT NULL,                        -- as it was told
  run_id INTEGER REFERENCES runs ON DELETE SET NULL,        -- that showed it
  reference_id INTEGER REFERENCES runs ON DELETE SET NULL,  -- that it is judged against
  opened_night TEXT NOT NULL,
  closed_night TEXT                           -- NULL: open
) STRICT;
CREATE UNIQUE INDEX incidents_open ON incidents (configuration, kind, subject)
  WHERE closed_night IS NULL;

-- Messages to one receiver each, stored with the incidents that they tell of, until they are sent.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  configuration TEXT NOT NULL,
  receiver TEXT NOT NULL,                     -- as configured, ${VAR} not expanded
  subject TEXT NOT NULL,                      -- one line
  text TEXT NOT NULL,
  json TEXT NOT NULL,
  created_unix_s REAL NOT NULL CHECK (abs(created_unix_s) < 1e300),
  attempts INTEGER NOT NULL,
  error TEXT NOT NULL,                        -- of the latest attempt
  sent_unix_s REAL CHECK (abs(sent_unix_s) < 1e300)  -- NULL: still to be sent
) STRICT;
CREATE INDEX outbox_unsent ON outbox (configuration) WHERE sent_unix_s IS NULL;
)sql";

// The times of each rank of a step that several share, as blobs of little-endian doubles: rank
// after rank, each in the order of `samples`.
constexpr std::string_view kRankSamples = R"sql(
CREATE TABLE rank_samples (
  measurement_id INTEGER PRIMARY KEY REFERENCES measurements ON DELETE CASCADE,
  ranks INTEGER NOT NULL CHECK (ranks > 1),
  seconds BLOB NOT NULL CHECK (length(seconds) % (8 * ranks) = 0)
) STRICT;
)sql";

constexpr std::array<std::string_view, 4> kScripts{kSchema, kUnfinishedRequests, kNights,
                                                   kRankSamples};

// "bnch": tells a bench database from any other SQLite file.
constexpr std::int64_t kApplicationId = 0x626e6368;

void apply(Database& database, std::int64_t from, std::string_view script) {
  Transaction transaction(database);
  if (database.integer("PRAGMA user_version") != from) return;  // another process was faster
  database.execute(std::string(script));
  if (!database.text("PRAGMA foreign_key_check").empty()) {
    fail(format("{}: version {} of the store leaves rows that refer to nothing", database.path(),
                from + 1));
  }
  database.execute(
      format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, from + 1));
  transaction.commit();
}

}  // namespace

std::span<const std::string_view> migrations() { return kScripts; }

std::int64_t schema_version(Database& database, std::span<const std::string_view> scripts) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  const bool ours = database.integer("PRAGMA application_id") == kApplicationId;
  const bool empty = database.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (!ours && !empty) {
    fail_usage(database.path() + " is another program's SQLite file; it was left untouched");
  }
  const auto newest = static_cast<std::int64_t>(scripts.size());
  if (version > newest) {
    fail_usage(format(
        "{} has version {} of the store, this bench knows up to {}: use a bench that knows {}",
        database.path(), version, newest, version));
  }
  return version;
}

void migrate(Database& database, std::span<const std::string_view> scripts) {
  auto version = schema_version(database, scripts);
  if (version == static_cast<std::int64_t>(scripts.size())) return;
  // A step may rebuild a table that others refer to; the pragma does nothing inside a transaction.
  database.execute("PRAGMA foreign_keys = OFF");
  for (; version < static_cast<std::int64_t>(scripts.size()); ++version) {
    apply(database, version, scripts[static_cast<std::size_t>(version)]);
  }
  database.execute("PRAGMA foreign_keys = ON");
}

}  // namespace bench
