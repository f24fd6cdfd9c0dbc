#include "harness/app/night_baseline.h"

#include <algorithm>

#include "harness/app/baseline_fit.h"
#include "harness/app/interrupt.h"
#include "harness/app/night_past.h"
#include "harness/app/plan_options.h"
#include "harness/app/shell_word.h"
#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

constexpr std::size_t kNightsBack = 14;
constexpr std::size_t kMostNamed = 20;

// What a second measurement says of the restless cases; empty: there was none.
std::vector<GateAnswer> second_answers(Store& store, const Recheck& recheck,
                                       const std::vector<GateAnswer>& wanting) {
  Suspects suspects;
  for (const GateAnswer& answer : wanting) {
    if (answer.noise) suspects[{answer.row.workload, case_id(answer.row.what)}] = 1;
  }
  if (suspects.empty() || interrupted()) return {};
  const std::int64_t run = measure_again(store, recheck, suspects).front();
  return answers_of(recheck.plan->gates, load_run(store, run, LoadSamples::no));
}

std::string lines_of(const std::vector<GateAnswer>& wanting, const std::vector<GateAnswer>& again) {
  std::string lines;
  for (std::size_t i = 0; i < std::min(kMostNamed, wanting.size()); ++i) {
    lines += "\n    " + answer_text(wanting[i]);
    const auto second = std::ranges::find_if(again, [&](const GateAnswer& a) {
      return subject_of(a.row) == subject_of(wanting[i].row);
    });
    if (second == again.end()) continue;
    lines += second->wanting.empty()
                 ? format("; measured again {:.2g} %: it passed", *second->tells * 100)
                 : format("; measured again: {}", second->wanting);
  }
  if (wanting.size() > kMostNamed)
    lines += format("\n    and {} more", wanting.size() - kMostNamed);
  return lines;
}

std::string lines_of(const std::vector<Uncovered>& gates) {
  std::string lines;
  for (const Uncovered& gate : gates) lines += "\n    " + gate_text(gate);
  return lines;
}

// By the gates of tonight, and by those that it was measured for, which accept asks.
BaselineFit fit_tonight(const Plan& plan, const RunRecord& run) {
  BaselineFit fit = fit_of(plan, run);
  if (!fit.is_fit()) return fit;
  try {
    return fit_of(configuration_of(run.info), run);
  } catch (const Error&) {
    return fit;  // a configuration that this bench cannot read any more
  }
}

std::string what_would_do(const BaselineFit& fit) {
  if (fit.wanting.empty() && !fit.absent.empty()) return "a night that measures them would do";
  const bool noise =
      std::ranges::any_of(fit.wanting, [](const GateAnswer& answer) { return answer.noise; });
  return noise ? "the first night that is quiet enough will be told; else the replicates or the "
                 "min_effect named would do"
               : "no night of this configuration will do: see to these";
}

}  // namespace

std::optional<std::int64_t> quiet_run(Store& store, const Plan& plan, const RunRecord& run,
                                      bool tonight) {
  if (tonight && fit_tonight(plan, run).is_fit()) return run.info.number;
  std::vector<Night> nights = list_nights(store, plan.name);
  std::erase_if(nights, [&](const Night& n) {
    return n.state != "judged" || !n.run || *n.run >= run.info.number ||
           n.exit == static_cast<std::int64_t>(Exit::regression);
  });
  nights.resize(std::min(nights.size(), kNightsBack));
  for (const Night& night : nights) {
    const RunRecord before = load_run(store, *night.run, LoadSamples::no);
    if (before.info.fingerprint != run.info.fingerprint || before.info.host != run.info.host) {
      continue;
    }
    if (fit_tonight(plan, before).is_fit()) return night.run;
  }
  return std::nullopt;
}

std::string accept_command(std::int64_t run, const std::string& database) {
  return format("bench baseline accept {} --notes WHY --db {}", run, shell_word(database));
}

Finding nothing_pinned(Store& store, const Unpinned& unpinned, Night& night) {
  const Plan& plan = unpinned.request.plan;
  const BaselineFit fit = fit_tonight(plan, unpinned.run);
  const std::vector<GateAnswer>& wanting = fit.wanting;
  std::string words =
      format("no run is pinned{}", unpinned.alone ? ", and there is no night before"
                                                  : "; judged by the night before alone");
  std::string subject = "baseline";
  if (const auto run = quiet_run(store, plan, unpinned.run, !unpinned.regressed)) {
    words += ": " + accept_command(*run, unpinned.request.database);
  } else {
    subject = "restless";
    words += format("; run {} is none to pin: {} would have no answer{}{}", *night.run, fit.count(),
                    lines_of(wanting, second_answers(store, unpinned.recheck, wanting)),
                    lines_of(fit.absent));
    words += "\n    " + what_would_do(fit);
  }
  words += lines_of(fit.left_out);
  if (!wanting.empty()) add_note(night.notes, format("{}: no baseline", kNoisy));
  return {.incident = {.kind = "baseline", .subject = subject, .words = words, .run = night.run},
          .exit = unpinned.alone ? Exit::unjudged : Exit::ok};
}

}  // namespace bench
