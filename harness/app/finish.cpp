#include "harness/app/finish.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "dashboards/report.h"
#include "dashboards/summary.h"
#include "dashboards/terminal.h"
#include "harness/app/report_of.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

// Why this measurement keeps the run from being fine; empty: it does not.
std::string fault(const Measurement& m) {
  if (m.negative_control) {
    return m.status == Status::incorrect ? "" : "a negative control that was not found incorrect";
  }
  return m.status == Status::ok || m.status == Status::skipped ? ""
                                                               : std::string(to_string(m.status));
}

std::int64_t count_faults(const RunRecord& run) {
  return std::ranges::count_if(run.measurements,
                               [](const Measurement& m) { return !fault(m).empty(); });
}

std::int64_t count_missing(const RunRecord& run) {
  std::int64_t expected = 0;
  for (const PlannedCase& planned : run.plan) {
    if (planned.skip.empty()) expected += planned.replicates;
  }
  return expected - static_cast<std::int64_t>(run.measurements.size());
}

}  // namespace

Exit finish(Store& store, std::int64_t number, const Plan& plan, const std::string& database) {
  const RunRecord run = load_run(store, number, LoadSamples::yes);
  const RunReport report = report_of(run);
  const auto page =
      std::filesystem::path(database).parent_path() / format("{}-{}.html", plan.name, number);
  write_file(page, report_html(report));
  const RunSummary summary =
      summarize(report.workloads, report.measurements, report.copy_bytes_per_s);
  std::cout << terminal_summary(summary, detect_terminal());
  std::cout << format("\nrun {} in {}, report {}\n", number, database, page.string());

  const std::int64_t missing = count_missing(run);
  const std::int64_t faults = count_faults(run);
  if (faults > 0)
    std::cout << format("{} of {} measurements failed: bench show {}\n", faults,
                        run.measurements.size(), number);
  if (missing > 0) {
    std::cout << format("interrupted, {} measurements to go: {} --resume\n", missing,
                        run.info.argv);
  } else {
    std::cout << format("next: bench show {}\n", number);
  }
  return faults > 0 || missing > 0 ? Exit::unjudged : Exit::ok;
}

}  // namespace bench
