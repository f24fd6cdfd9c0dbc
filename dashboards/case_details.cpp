#include "dashboards/case_details.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "dashboards/numbers.h"
#include "dashboards/rank_details.h"
#include "dashboards/sample_chart.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

void draw_stages(const CaseSummary& c, Html& page) {
  if (c.stages.empty()) return;
  page.open("table", {{"class", "stages"}}).open("tr");
  for (const char* title : {"stage", "ms", "moved", "of ceiling"})
    page.element("th", title, {{"scope", "col"}});
  page.close();
  for (const StageSummary& s : c.stages) {
    page.open("tr")
        .element("td", s.stage)
        .element("td", milliseconds(s.seconds))
        .element("td", format_bytes(s.bytes));
    page.element("td", s.of_ceiling ? percent_of(*s.of_ceiling) : "").close();
  }
  if (c.unattributed_s)
    page.open("tr")
        .element("td", "unattributed")
        .element("td", milliseconds(*c.unattributed_s))
        .close();
  page.open("tr", {{"class", "sum"}})
      .element("td", "TPOT")
      .element("td", milliseconds(*c.tpot_s))
      .element("td", format_bytes(c.bytes))
      .close();
  page.close();
}

std::string saving_text(const Saving& saving) {
  std::string text = "Saved " + milliseconds(saving.achieved_s) + " ms a token.";
  if (!saving.predicted_s) return text;
  const double rest = (shown_ms(saving.achieved_s) - shown_ms(*saving.predicted_s)) / 1e3;
  return text + format(" Bytes predict {} ms; {} ms beyond that.",
                       milliseconds(*saving.predicted_s), milliseconds(rest));
}

}  // namespace

// As {:.0f} writes it, but sooner: a page has thousands.
std::int64_t whole(double value) { return std::llrint(value); }

void draw_device_state(const CaseSummary& c, Html& page) {
  std::vector<std::string> parts;
  for (const Measurement* m : c.measurements) {
    const Telemetry& t = m->telemetry;
    std::vector<std::string> facts;
    if (t.temperature_c) facts.push_back(format("{} \u00b0C", whole(*t.temperature_c)));
    if (t.power_w) facts.push_back(format("{} W", whole(*t.power_w)));
    if (t.energy_j) facts.push_back(format("{:.1f} J", *t.energy_j));
    if (t.sm_clock_hz) facts.push_back(format("{} MHz", whole(*t.sm_clock_hz / 1e6)));
    if (!t.throttle_reasons.empty()) facts.push_back("throttled: " + t.throttle_reasons);
    if (!t.other_processes.empty()) facts.push_back("other processes: " + t.other_processes);
    if (!facts.empty())
      parts.push_back(format("replicate {}: {}", m->replicate, join(facts, ", ")));
  }
  if (!parts.empty()) page.element("p", format("Device. {}", join(parts, "; ")));
}

void draw_case_details(const CaseSummary& c, const std::string& command, std::size_t cases,
                       Html& page) {
  if (!c.reason.empty()) page.element("p", c.reason);
  draw_stages(c, page);
  if (c.saving) page.element("p", saving_text(*c.saving));
  if (c.projected_tpot_s) {
    page.element("p", format("Projected TPOT {} ms, with {} ms for the rest of the step.",
                             milliseconds(*c.projected_tpot_s),
                             milliseconds(c.what.parameters.rest_of_step_s)));
  }
  if (c.memory_bytes)
    page.element("p", format("Memory on each device: {}.", format_bytes(*c.memory_bytes)));
  std::vector<std::string> times;
  for (const ReplicateTime& r : c.replicates) times.push_back(milliseconds(r.tpot_s));
  if (!times.empty())
    page.element("p", format("TPOT of {} of {} replicates: {} ms.", times.size(), c.planned,
                             join(times, ", ")));
  draw_samples(c, cases, page);
  draw_ranks(c, page);
  draw_device_state(c, page);
  if (!command.empty()) page.open("p").text("Measure it again: ").element("code", command).close();
}

}  // namespace bench
