#include "dashboards/warnings.h"

#include <algorithm>
#include <map>

#include "dashboards/text.h"
#include "harness/format.h"
#include "results/side.h"

namespace bench {
namespace {

constexpr std::size_t kNamedWarnings = 3;  // of one kind, before "and N more"

// What was seen, and in which cases, each once and in the order of the run.
struct Sightings {
  std::vector<std::string> order{};
  std::map<std::string, std::vector<std::string>> cases{};

  void add(const std::string& what, const std::string& where) {
    if (!cases.contains(what)) order.push_back(what);
    std::vector<std::string>& seen = cases[what];
    if (seen.empty() || seen.back() != where) seen.push_back(where);
  }
};

std::string count_text(std::size_t count) {
  return count == 1 ? "1 case" : format("{} cases", count);
}

// "throttled (hw_thermal_slowdown) in 2 cases, first single_stream context 4k native_fp8"
void tell(const Sightings& seen, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(seen.order.size(), kNamedWarnings); ++i) {
    const std::vector<std::string>& where = seen.cases.at(seen.order[i]);
    lines.push_back(format("{} in {}{}{}", seen.order[i], count_text(where.size()),
                           where.size() == 1 ? ": " : ", first ", where.front()));
  }
  if (seen.order.size() > kNamedWarnings)
    lines.push_back(format("{} more such", seen.order.size() - kNamedWarnings));
}

struct Findings {
  Sightings throttled, others, crowded, unfit, notes;
  std::size_t missing = 0, single = 0, with_speed = 0;
};

// The notes of the client of a live server, which are joined by "; ". What it found there is none.
void add_notes(const std::string& reason, const std::string& name, Sightings& notes) {
  for (std::size_t at = 0; at < reason.size();) {
    const std::size_t end = std::min(reason.find("; ", at), reason.size());
    const std::string note = reason.substr(at, end - at);
    if (note.find(", dialect ") == std::string::npos) notes.add(note, name);
    at = end + 2;
  }
}

void look_at(const CaseSummary& c, const std::string& runner, const std::string& name,
             Findings& found) {
  for (const Measurement* m : c.measurements) {
    if (!m->telemetry.throttle_reasons.empty())
      found.throttled.add(format("throttled ({})", m->telemetry.throttle_reasons), name);
    if (!m->telemetry.other_processes.empty())
      found.others.add(format("other processes on the device ({})", m->telemetry.other_processes),
                       name);
    if (runner == "http" && m->status == Status::ok) add_notes(m->reason, name, found.notes);
  }
  if (!disturbed({.planned = nullptr, .measurements = c.measurements}).empty())
    found.crowded.add(format("others used more than {:.0f} % of the CPU", kMostOthersCpu * 100),
                      name);
  if (!c.status) ++found.missing;
  const bool faulty = c.status && *c.status != Status::ok && *c.status != Status::skipped;
  if (faulty && !c.is_sound_control()) found.unfit.add(c.status_word() + ": " + c.reason, name);
  if (!c.tpot_s) return;
  ++found.with_speed;
  if (c.replicates.size() == 1) ++found.single;
}

}  // namespace

std::vector<std::string> trust_warnings(const RunSummary& summary) {
  Findings found;
  for (const WorkloadSummary& workload : summary.workloads) {
    for (const PointSummary& point : workload.points) {
      for (const CaseSummary& c : point.cases) {
        const std::string where = place_text(workload.name, point.label);
        look_at(c, workload.runner, where + " " + c.variant(), found);
      }
    }
  }
  std::vector<std::string> lines;
  tell(found.throttled, lines);
  tell(found.others, lines);
  tell(found.crowded, lines);
  tell(found.unfit, lines);
  if (found.missing > 0)
    lines.push_back(format("{} planned but not measured", count_text(found.missing)));
  if (found.single > 0 && found.single == found.with_speed) {
    lines.emplace_back(
        "one replicate of every case: how much the figures vary from run to run is not known");
  } else if (found.single > 0) {
    lines.push_back(
        format("{} with one replicate, so without an interval", count_text(found.single)));
  }
  tell(found.notes, lines);
  return lines;
}

}  // namespace bench
