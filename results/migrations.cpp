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

constexpr std::array<std::string_view, 2> kScripts{kSchema, kUnfinishedRequests};

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
