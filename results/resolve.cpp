#include <charconv>

#include "harness/error.h"
#include "harness/format.h"
#include "results/query.h"
#include "results/rows.h"

namespace bench {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "latest", "latest~2": how many runs back; nullopt for anything else.
std::optional<std::int64_t> steps_back(std::string_view name) {
  constexpr std::string_view kLatest = "latest";
  if (!name.starts_with(kLatest)) return std::nullopt;
  name.remove_prefix(kLatest.size());
  if (name.empty()) return 0;
  return name.front() == '~' ? whole_number(name.substr(1)) : std::nullopt;
}

std::int64_t latest_run(Database& database, std::int64_t back, std::string_view configuration) {
  auto runs = database.prepare(R"sql(
      SELECT id
      FROM runs
      WHERE name = ?1 OR (?1 = '' AND name NOT GLOB '*.confirm*')
      ORDER BY started_unix_s DESC, uuid DESC LIMIT 1 OFFSET ?2)sql");
  if (const auto run = first_row(runs.bind(configuration, back))) return *run;
  const std::string of = configuration.empty() ? "" : format(" of '{}'", configuration);
  auto count = database.prepare(
      "SELECT count(*) FROM runs WHERE name = ?1 OR (?1 = '' AND name NOT GLOB '*.confirm*')");
  const std::int64_t runs_held = first_row(count.bind(configuration)).value_or(0);
  if (runs_held == 0) fail_usage(format("{} holds no runs{}", database.path(), of));
  fail_usage(format("latest~{}: {} holds {} run{}{} (the oldest is latest~{})", back,
                    database.path(), runs_held, runs_held == 1 ? "" : "s", of, runs_held - 1));
}

std::int64_t pinned_run(Database& database, std::string_view configuration) {
  auto baselines = database.prepare(R"sql(
      SELECT b.run_id
      FROM baselines b JOIN runs r ON r.id = b.run_id
      WHERE ?1 = '' OR r.name = ?1
      ORDER BY b.accepted_unix_s DESC, r.uuid DESC LIMIT 1)sql");
  if (const auto run = first_row(baselines.bind(configuration))) return *run;
  const std::string of = configuration.empty() ? "" : format(" for '{}'", configuration);
  fail_usage(
      format("no baseline is pinned{}: `bench baseline accept RUN --notes WHY` pins one", of));
}

// Number, then tag, then prefix of an id.
std::optional<std::int64_t> named_run(Database& database, std::string_view name) {
  if (const auto number = whole_number(name)) {
    auto find = database.prepare("SELECT id FROM runs WHERE id = ?1");
    if (const auto run = first_row(find.bind(*number))) return run;
  }
  auto tagged = database.prepare(R"sql(
      SELECT id
      FROM runs
      WHERE tag = ?1 AND tag <> ''
      ORDER BY started_unix_s DESC, uuid DESC LIMIT 1)sql");
  if (const auto run = first_row(tagged.bind(name))) return run;
  const bool prefix = name.size() >= 4 && name.find_first_not_of("0123456789abcdef") == name.npos;
  if (!prefix) return std::nullopt;
  auto ids = database.prepare(
      "SELECT id, uuid FROM runs WHERE substr(uuid, 1, ?2) = ?1 ORDER BY uuid LIMIT 2");
  const auto run = first_row(ids.bind(name, static_cast<std::int64_t>(name.size())));
  if (run && ids.step()) {
    fail_usage(format("'{}' begins the id of more than one run: give more of it", name));
  }
  return run;
}

}  // namespace

std::int64_t resolve_run(Store& store, std::string_view name, std::string_view configuration) {
  Database& database = store.database();
  if (const auto back = steps_back(name)) return latest_run(database, *back, configuration);
  if (name == "pinned") return pinned_run(database, configuration);
  if (const auto run = named_run(database, name)) return *run;
  fail_usage(
      format("{} holds no run '{}': give a number or id of `bench list`, a tag, latest, latest~1 "
             "or pinned",
             database.path(), name));
}

}  // namespace bench
