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
#include "results/side.h"

namespace bench {
namespace {

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
  const RunSummary summary = summarize(report);
  std::cout << terminal_summary(summary, detect_terminal());
  // The table stands: its variants took turns. Another run is another matter.
  if (const std::string why = disturbed(run); !why.empty())
    std::cout << format("\nwarning: {}: this run cannot be held against another\n", why);
  // The table first: it must not be lost with a page that cannot be written.
  std::cout << format("\nrun {} in {}, ", number, database) << std::flush;
  const auto page =
      std::filesystem::path(database).parent_path() / format("{}-{}.html", plan.name, number);
  write_file(page, report_html(report, summary));
  std::cout << format("report {}\n", page.string());

  const std::int64_t missing = count_missing(run);
  const std::int64_t faults = std::ranges::count_if(run.measurements, failed);
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
