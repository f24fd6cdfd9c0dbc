#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "results/database.h"
#include "results/lock.h"
#include "results/run.h"

namespace bench {

// What a stored measurement is of, within its run.
struct MeasurementKey {
  std::string workload;
  std::string case_id;
  std::int64_t replicate = 0;
  // clang-tidy 14 takes the defaulted <=> for a null pointer.
  auto operator<=>(const MeasurementKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The results file. Every call that changes it is one transaction: when it returns, the change is
// on disk and other processes see it; when it throws, nothing has changed. Reading is in query.h.
// One writer at a time, by a lock beside the file; readers come and go. Not thread-safe.
class Store {
 public:
  // write: makes the file if absent, takes <path>.lock (Error with Exit::locked if another process
  // has it), and marks runs that a dead writer left `running` as interrupted. read: the file must
  // be there. Both bring an older file to the newest version. `purpose` is shown to those who wait.
  Store(const std::string& path, Access access, const std::string& purpose = "bench");

  // Stores a run with all the record holds, and says its number. An id, start or host left empty
  // is filled in. Secrets are masked.
  std::int64_t add(RunRecord record);
  void add(std::int64_t run, const Measurement& measurement);  // of a planned case, not stored yet

  void set_environment(std::int64_t run, const std::vector<Fact>& facts);  // replaces all
  void set_device(std::int64_t run, const DeviceRecord& device);           // adds or replaces one
  void resume(std::int64_t run);                                           // running again
  void end(std::int64_t run, RunStatus status);

  // Pins the run as the baseline of its configuration. Throws Error if it is not complete.
  void accept_baseline(std::int64_t run, const std::string& notes);

  Database& database() { return database_; }

 private:
  void add_planned(std::int64_t run, std::int64_t position, const PlannedCase& planned);
  void add_measurement(std::int64_t run, const Measurement& measurement);
  std::int64_t case_row(const Case& c);
  std::int64_t metric_kind_row(const Metric& metric);

  std::unique_ptr<Lock> lock_;  // before the database: released after it is closed
  Database database_;
};

}  // namespace bench
