#include "results/import_builder.h"

#include <sys/stat.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <utility>

#include "harness/format.h"

namespace bench {
namespace {

std::uint64_t fnv(std::string_view text, std::uint64_t hash) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

// The same bytes give the same id wherever they are imported.
std::string content_id(std::string_view text) {
  const std::uint64_t low = fnv(text, 0xcbf29ce484222325u);
  return format("{:016x}{:016x}", fnv(text, low ^ text.size()), low);
}

double modified(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<double>(info.st_mtime) : 0;
}

}  // namespace

ImportBuilder::ImportBuilder(std::string_view text, const std::string& path,
                             const std::string& runner)
    : runner_(runner) {
  run_.info.id = content_id(text);
  run_.info.name = std::filesystem::path(path).stem().string();
  run_.info.status = RunStatus::complete;
  run_.info.host = "unknown";
  run_.info.started_unix_s = modified(path);
  run_.info.notes = "imported from " + std::filesystem::path(path).filename().string();
}

Measurement& ImportBuilder::measurement(const std::string& name, const std::string& label) {
  const auto [place, is_new] = places_.emplace(name, run_.plan.size());
  if (is_new) {
    PlannedCase planned;
    planned.what = {runner_, name, {}};
    planned.workload = run_.info.name;
    planned.label = label;
    planned.replicates = 0;
    run_.plan.push_back(std::move(planned));
  }
  PlannedCase& planned = run_.plan[place->second];
  Measurement& m = run_.measurements.emplace_back();
  m.what = planned.what;
  m.workload = planned.workload;
  m.replicate = planned.replicates++;
  m.started_unix_s = run_.info.started_unix_s;
  return m;
}

void ImportBuilder::leave_out(const std::string& what, const std::string& why) {
  std::string& reason = run_.measurements.back().reason;
  reason += format("{}{} {} and is left out", reason.empty() ? "" : "; ", what, why);
}

RunRecord ImportBuilder::take() { return std::move(run_); }

double number_in(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? number : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace bench
