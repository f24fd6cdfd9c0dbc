#include "harness/app/night_judge.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "dashboards/verdict_sentence.h"
#include "harness/app/confirm.h"
#include "harness/app/house.h"
#include "harness/app/night_baseline.h"
#include "harness/app/night_past.h"
#include "harness/format.h"
#include "results/restless.h"
#include "results/side.h"

namespace bench {
namespace {

// The newest night before this one whose verdicts stood when they were measured again.
std::optional<std::int64_t> quiet_night_before(Store& store, const Night& night,
                                               const RunInfo& run) {
  for (const Night& n : list_nights(store, night.configuration)) {
    if (n.night >= night.night || n.state != "judged" || !n.run) continue;
    if (n.notes.find(kNoisy) != std::string::npos) continue;
    const RunInfo info = load_info(store, *n.run);
    if (info.fingerprint == run.fingerprint && info.host == run.host) return n.run;
  }
  return std::nullopt;
}

// The runs to judge by. An incident's own reference stays one of them until a later run is
// accepted.
std::vector<Against> references_of_night(Store& store, const Plan& plan, const Night& night,
                                         const RunRecord& run) {
  std::vector<Against> all;
  const auto add = [&](std::int64_t reference, const std::string& name) {
    const auto known = std::ranges::find(all, reference, &Against::reference);
    if (known != all.end() || reference == run.info.number) return;
    all.push_back({reference, format("run {}, {}", reference, name),
                   compare_by(plan.gates, load_run(store, reference, LoadSamples::no), run)});
  };
  const auto pinned = pinned_for(store, run.info);
  if (pinned) add(*pinned, "pinned");
  if (const auto before = quiet_night_before(store, night, run.info))
    add(*before, "the night before");
  for (const Incident& incident : open_incidents(store, plan.name)) {
    if (incident.reference.value_or(0) > pinned.value_or(0)) {
      add(*incident.reference, "before the change");
    }
  }
  return all;
}

// The program that measured the run, if it is still there and is another one than `mine`.
std::optional<std::filesystem::path> program_of(const RunRecord& run, const Binaries& binaries,
                                                const std::vector<Fact>& mine) {
  const auto binary_of = [](const std::vector<Fact>& facts) {
    const auto fact = std::ranges::find(facts, kBinaryFact, &Fact::name);
    return fact == facts.end() ? std::string() : fact->value;
  };
  const std::string name = binary_of(run.environment);
  return name == binary_of(mine) ? std::nullopt : binaries.find(name);
}

Recheck recheck_of(Store& store, const Plan& plan, const SecondLook& again, const Night& night) {
  Recheck recheck{.plan = &plan, .survey = &again.survey, .request = again.request, .told = {}};
  recheck.request.notes = format("measures run {} again", *night.run);
  for (const Incident& i : open_incidents(store, plan.name)) {
    if (i.kind == "regression") recheck.told.insert({Word::regressed, i.subject});
    if (i.kind == "improvement") recheck.told.insert({Word::improved, i.subject});
  }
  return recheck;
}

void recheck_night(Store& store, const Recheck& recheck, Night& night, std::vector<Against>& all) {
  const Confirmation done = confirm(store, recheck, all);
  if (done.again == 0) return;
  std::cout << format("measured again: {} verdicts, {} of them gone\n", done.again, done.dismissed);
  if (done.dismissed > 0) {
    add_note(night.notes,
             format("{}: {} verdicts gone when measured again", kNoisy, done.dismissed));
  }
}

bool has_regressed(const std::vector<Against>& all) {
  return std::ranges::any_of(
      all, [](const Against& against) { return against.comparison.count(Word::regressed) > 0; });
}

Wording wording_of_night(const NightRequest& request, const RunInfo& run, std::int64_t main) {
  const Plan& plan = request.plan;
  const std::string root =
      plan.site.url.empty() ? site_folder(plan, request.database) : plan.site.url;
  return {.configuration = request.config,
          .argv = run.argv,
          .page =
              [root, main, number = run.number](std::int64_t reference) {
                return reference == main ? format("{}/compare-{}-{}.html", root, reference, number)
                                         : format("{}/run-{}.html", root, number);
              },
          .quieter = {}};
}

bool is_baseline_restless(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [&](const Row& row) {
    const Restless whose = restless(row, comparison.rows.size());
    const bool judged = row.verdict.word != Word::inconclusive && row.verdict.word != Word::invalid;
    return !judged && (whose == Restless::baseline || whose == Restless::both);
  });
}

}  // namespace

NightVerdict judge_night(Store& store, const NightRequest& request, const SecondLook& again,
                         Night& night) {
  const Plan& plan = request.plan;
  const RunRecord run = load_run(store, *night.run, LoadSamples::no);
  if (const std::string why = disturbed(run); !why.empty()) {
    add_note(night.notes, format("{}: {}", kNoisy, why));
  }
  NightVerdict verdict{.findings = {}, .all = references_of_night(store, plan, night, run)};
  std::vector<Against>& all = verdict.all;
  Recheck recheck = recheck_of(store, plan, again, night);
  if (!all.empty()) {
    const std::int64_t main = all.front().reference;
    Judgement judgement = judge_run(store, run, plan.gates, main, false);
    recheck.old =
        program_of(load_run(store, main, LoadSamples::no), again.binaries, again.request.facts);
    recheck_night(store, recheck, night, all);
    recheck.old.reset();
    judgement.comparison = all.front().comparison;
    Wording wording = wording_of_night(request, run.info, main);
    if (is_baseline_restless(all.front().comparison)) {
      const auto quieter = quiet_run(store, plan, run, !has_regressed(all));
      if (quieter) wording.quieter = accept_command(*quieter, request.database);
    }
    verdict.findings = findings_of(run, judgement, all, wording);
    std::cout << format("against {}: {}\n", all.front().name,
                        verdict_sentence(all.front().comparison));
  }
  if (!pinned_for(store, run.info)) {
    const Unpinned unpinned{request, run, recheck, all.empty(), has_regressed(all)};
    verdict.findings.push_back(nothing_pinned(store, unpinned, night));
  }
  for (Finding& f : unmeasured(run, verdict.findings)) verdict.findings.push_back(std::move(f));
  return verdict;
}

}  // namespace bench
