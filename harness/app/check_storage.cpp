// The results file, and room for what a run will store.

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/app/checks.h"
#include "harness/format.h"
#include "harness/units.h"
#include "results/lock.h"
#include "results/query.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// Samples and clocks of 8 bytes each, and the rows of a measurement.
constexpr double kSampleBytes = 16;
constexpr double kMeasurementBytes = 2048;
// Records of a live server's requests: about this much a token event, and a request.
constexpr double kEventBytes = 8;
constexpr double kRequestBytes = 512;
// The journal of a transaction, and the page that is written when the run ends.
constexpr double kRoomToWork = 64e6;

double measurement_bytes(const Workload& workload, const Parameters& p) {
  double bytes = kMeasurementBytes;
  if (workload.runner != "http") {
    return bytes + kSampleBytes * static_cast<double>(workload.sampling.max_samples);
  }
  // A request a second and user, where only a time is given.
  const double requests = p.requests > 0
                              ? static_cast<double>(p.requests)
                              : (p.duration_s + p.warm_up_s) * static_cast<double>(p.concurrency);
  return bytes + requests * (kRequestBytes + kEventBytes * static_cast<double>(p.output_tokens));
}

// Where the folder of the results is, or will be made.
fs::path database_folder(const std::string& database) {
  fs::path folder = fs::absolute(database).lexically_normal().parent_path();
  while (!fs::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Check check_room(const std::string& database, const Plan* plan) {
  std::error_code error;
  const fs::path folder = database_folder(database);
  const fs::space_info space = fs::space(folder, error);
  if (error) return {Grade::bad, "disk", format("{}: {}", folder.string(), error.message())};
  const double needed = (plan == nullptr ? 0 : planned_bytes(*plan)) + kRoomToWork;
  const auto free = static_cast<double>(space.available);
  if (free < needed) {
    return {Grade::bad, "disk",
            format("{} has {} free, a run needs {}: make room (bench prune --dry-run)",
                   folder.string(), format_bytes(free), format_bytes(needed))};
  }
  return {Grade::fine, "disk",
          format("{} has {} free, a run needs {}", folder.string(), format_bytes(free),
                 format_bytes(needed))};
}

Check check_database(const std::string& path, double now_unix_s) {
  std::error_code code;
  const bool is_there = fs::exists(path, code);
  if (code) return {Grade::bad, "database", format("{}: {}", path, code.message())};
  if (!is_there) {
    const std::string folder = database_folder(path).string();
    const std::string why = why_not_written(folder);
    if (why.empty()) return {Grade::fine, "database", path + " will be made"};
    return {Grade::bad, "database", format("{}: {} cannot be written ({})", path, folder, why)};
  }
  try {
    Store store(path, Access::read);
    const double newest = [&] {
      auto rows = store.database().prepare("SELECT max(started_unix_s) FROM runs");
      return rows.step() ? rows.maybe_real(0).value_or(0) : 0;
    }();
    constexpr double kSlack = 60;
    if (newest > now_unix_s + kSlack) {
      return {Grade::bad, "database",
              path + ": its newest run began in the future: the clock of this host went back"};
    }
    Database::check_path(path, Access::write);
    return {Grade::fine, "database",
            format("{}, {}, {} (rollback journal)", path,
                   format_bytes(static_cast<double>(fs::file_size(path))), sqlite_version())};
  } catch (const Error& error) {
    return {Grade::bad, "database", error.what()};
  }
}

}  // namespace

double planned_bytes(const Plan& plan) {
  double bytes = 0;
  for (const Workload& workload : plan.workloads) {
    const auto repeats =
        static_cast<double>(workload.replicates) * static_cast<double>(workload.variants.size());
    for (const Point& point : workload.points) {
      if (point.skip.empty()) bytes += repeats * measurement_bytes(workload, point.parameters);
    }
  }
  return bytes;
}

std::vector<Check> check_storage(const std::string& database, const Plan* plan, double now_unix_s) {
  std::vector<Check> checks{check_database(database, now_unix_s), check_room(database, plan)};
  // Whoever writes to it, it can be read.
  if (const std::string holder = lock_holder(database + ".lock"); !holder.empty()) {
    checks.push_back({Grade::locked, "database", format("{} is held by {}", database, holder)});
  }
  return checks;
}

}  // namespace bench
