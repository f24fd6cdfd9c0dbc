#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dashboards/request_trace.h"
#include "dashboards/summary.h"
#include "results/environment.h"
#include "results/result.h"
#include "workloads/workload.h"

namespace bench {

// What a page says of a run besides its results. Any text may hold anything: it is shown as text.
struct RunFacts {
  std::string id;       // as `bench list` names it
  std::string name;     // of its configuration
  std::string started;  // "2026-11-29 21:00:00 UTC"
  std::string tag;
  std::string notes;
  std::string command;                // as it was typed
  std::vector<Fact> environment;      // in the order to show
  std::vector<std::string> warnings;  // what limits trust: throttling, other processes, ...
};

struct RunReport {
  RunFacts run;
  std::string generated;  // the only part of a page that differs for equal data
  std::vector<Workload> workloads;
  std::vector<Measurement> measurements;
  double copy_bytes_per_s = 0;  // 0: not measured
  // The command that measures one case again; may be empty.
  std::function<std::string(const std::string& workload, const Case&)> repeat_command;
  ReadRequests read_requests{};  // of a live server; may be empty
};

RunSummary summarize(const RunReport& report);  // refers into the report

// One self-contained page: opens from disk, loads nothing, reads without JavaScript. With the
// report's summary, where it serves several pages.
std::string report_html(const RunReport& report);
std::string report_html(const RunReport& report, const RunSummary& summary);

}  // namespace bench
