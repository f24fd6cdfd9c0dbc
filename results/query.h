#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/store.h"

namespace bench {

// One line of `bench list`.
struct RunLine {
  RunInfo info;               // without argv and plan_source
  std::int64_t cases = 0;     // planned and not skipped by the configuration
  std::int64_t expected = 0;  // measurements: their replicates
  std::int64_t measured = 0;  // stored, whatever their status
  std::int64_t failed = 0;    // of these, those of failed()
  bool pinned = false;        // the accepted baseline of its configuration
};
std::vector<RunLine> list_runs(Store& store);  // newest first

// Whether a run of this name is a nightly's second look at some cases, CONFIGURATION.confirm, or
// that of the program before it: no night of its own, and in no history.
inline constexpr std::string_view kRecheck = ".confirm";
inline constexpr std::string_view kRecheckBefore = ".confirm-before";
inline bool is_recheck(std::string_view name) {
  return name.ends_with(kRecheck) || name.ends_with(kRecheckBefore);
}

// The number of the run that a person names: its number, the first characters of its id (four at
// least), a tag (the newest run that has it), latest, latest~2 (two before it), pinned. Where
// `configuration` is given, latest and pinned are of that configuration. Throws Error (exit 2) that
// says what there is.
std::int64_t resolve_run(Store& store, std::string_view name, std::string_view configuration = {});

enum class LoadSamples { no, yes };
RunInfo load_info(Store& store, std::int64_t run);
RunRecord load_run(Store& store, std::int64_t run, LoadSamples samples);

// What `--resume` need not measure again, sorted; and the newest run it can go on with:
// interrupted, of the same configuration text, and of the same tag where `like` has one.
std::vector<MeasurementKey> stored_measurements(Store& store, std::int64_t run);
std::optional<std::int64_t> find_interrupted(Store& store, const RunInfo& like);
// The same in any state.
std::optional<std::int64_t> find_like(Store& store, const RunInfo& like);

struct Baseline {
  std::int64_t run = 0;
  std::string configuration;
  std::string host;
  double accepted_unix_s = 0;
  std::string notes;
};
std::vector<Baseline> list_baselines(Store& store);  // the newest of each configuration and host

// A case that some run planned.
struct StoredCase {
  std::string id;
  Case what;
  std::string canonical;
  std::int64_t runs = 0;  // that planned it
};
// Cases whose id begins with `pattern`, or all of whose words (separated by spaces) occur in the
// canonical form; all for an empty pattern.
std::vector<StoredCase> find_cases(Store& store, std::string_view pattern);

// One measurement in the history of a case.
struct HistoryPoint {
  std::int64_t run = 0;
  std::string run_id;
  double started_unix_s = 0;  // of the run
  std::string host;           // of the run
  std::string fingerprint;    // of the run's machine
  std::string workload;
  std::int64_t replicate = 0;
  Status status = Status::ok;
  std::string reason;
  std::optional<double> value;         // of the metric asked for
  int version = 0;                     // of its definition
  std::optional<double> others_cpu{};  // others_cpu_share
};
// Oldest run first, then by workload and replicate; second looks are left out.
std::vector<HistoryPoint> history(Store& store, std::string_view case_id, std::string_view metric);

}  // namespace bench
