#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/database.h"
#include "results/run.h"

namespace bench {

// Rows of the store as values, shared by the queries.

// Condition on `runs r`: it is no second look (is_recheck of query.h).
inline constexpr std::string_view kNoRecheck =
    "r.name NOT LIKE '%.confirm' AND r.name NOT LIKE '%.confirm-before'";

// Columns of `runs r` that read_info() takes, from column 0 on: all but argv and plan_source.
inline constexpr std::string_view kInfoColumns =
    "r.id, r.uuid, r.name, r.status, r.started_unix_s, r.ended_unix_s, r.host, r.tag, r.notes,"
    " r.fingerprint";
RunInfo read_info(const Statement& row);

// Reads cases of the columns runner, variant, parameters from `first` on, row after row, with the
// settings of planned_cases: the variants of a point have equal ones, which are then parsed once.
class CaseRows {
 public:
  Case read(const Statement& row, int first, std::string settings = "{}");

 private:
  std::string identity_, settings_;  // of the row before
  Parameters parameters_;
};

// The first column of the next row; nullopt: there is none.
std::optional<std::int64_t> first_row(Statement& statement);

std::vector<std::string> split(std::string_view text, char separator);

}  // namespace bench
