#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "results/database.h"

namespace bench {

// Element v takes a database from version v (PRAGMA user_version) to v + 1; a new file has 0.
std::span<const std::string_view> migrations();

// Version of the database: 0 for an empty one. Throws Error (exit 2) if the file is another
// program's, or of a newer bench: then it says which version of the store is needed.
std::int64_t schema_version(Database& database,
                            std::span<const std::string_view> scripts = migrations());

// Brings the database to the newest version, each step in a transaction of its own: a step that
// fails leaves the version before it.
void migrate(Database& database, std::span<const std::string_view> scripts = migrations());

}  // namespace bench
