#include "results/import.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/error.h"
#include "harness/format.h"
#include "results/export.h"
#include "results/merge.h"
#include "results/rows.h"

namespace bench {
namespace {

std::string read_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) fail_usage(path + " is a directory, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_usage(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::int64_t> find_run(Database& database, const std::string& id) {
  auto find = database.prepare("SELECT id FROM runs WHERE uuid = ?1");
  return first_row(find.bind(id));
}

}  // namespace

RunRecord read_run_file(const std::string& path) {
  const std::string text = read_file(path);
  // Google Benchmark writes NaN, which no strict parser takes: it is told by its own first member.
  if (text.find("\"context\"") < 64) return from_google_benchmark(text, path);
  if (text.find("\"meta\"") < 64) return from_nvbench(text, path);
  const Json json = Json::parse(text, path);
  if (json.find("schema_version")) return import_run(json);
  fail_usage(path +
             " holds no run: an export of bench, Google Benchmark's or nvbench's JSON is needed");
}

std::int64_t add_or_complete(Store& store, const RunRecord& run) {
  const auto stored = find_run(store.database(), run.info.id);
  if (!stored) return store.add(run);
  const ScratchFolder scratch;
  const std::string path = scratch.file("import.db");
  Store(path, Access::write, "import").add(run);
  merge(store, path);
  return *stored;
}

}  // namespace bench
