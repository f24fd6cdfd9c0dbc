#include "results/rows.h"

#include <sstream>

#include "results/codec.h"

namespace bench {

RunInfo read_info(const Statement& row) {
  RunInfo info;
  info.number = row.integer(0);
  info.id = row.text(1);
  info.name = row.text(2);
  info.status = run_status_from(row.text(3));
  info.started_unix_s = row.real(4);
  info.ended_unix_s = row.maybe_real(5);
  info.host = row.text(6);
  info.tag = row.text(7);
  info.notes = row.text(8);
  info.fingerprint = row.text(9);
  return info;
}

Case CaseRows::read(const Statement& row, int first, std::string settings) {
  if (std::string identity = row.text(first + 2); identity != identity_ || settings != settings_) {
    parameters_ = {};
    read_into(parameters_, Json::parse(identity, "a stored case"));
    if (settings != "{}") read_into(parameters_, Json::parse(settings, "a stored case"));
    identity_ = std::move(identity);
    settings_ = std::move(settings);
  }
  return {row.text(first), row.text(first + 1), parameters_};
}

std::optional<std::int64_t> first_row(Statement& statement) {
  if (!statement.step()) return std::nullopt;
  return statement.integer(0);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace bench
