#include "harness/app/confirm.h"

#include <algorithm>

#include "harness/app/interrupt.h"
#include "harness/format.h"
#include "results/restless.h"

namespace bench {
namespace {

// No answer for noise that may have passed.
bool is_hidden(const Row& row) {
  const Word word = row.verdict.word;
  return word == Word::inconclusive || (word == Word::invalid && row.baseline_disturbed.empty() &&
                                        !row.candidate_disturbed.empty());
}

// Whether someone would be told of the row, and a second look can change that; or would be, were it
// not for noise of this run: of another's than the first there is nothing to tell else.
bool is_suspect(const Row& row, std::size_t family, bool is_main, const KnownChanges& told) {
  if (!row.evidence) return false;
  const Word word = row.verdict.word;
  if (is_hidden(row)) return is_main || restless(row, family) == Restless::candidate;
  if (told.contains({word, subject_of(row)})) return false;
  return word == Word::regressed || (is_main && word == Word::improved);
}

Suspects suspects_of(const std::vector<Against>& all, const KnownChanges& told) {
  Suspects suspects;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Row>& rows = all[i].comparison.rows;
    for (const Row& row : rows) {
      if (!is_suspect(row, rows.size(), i == 0, told)) continue;
      std::int64_t& times = suspects[{row.workload, case_id(row.what)}];
      times = std::max<std::int64_t>(times, is_hidden(row) ? 2 : 1);
    }
  }
  return suspects;
}

// The plan with these cases alone, and what they are relative to; their variants are still measured
// together.
Plan narrowed(const Plan& plan, const Suspects& suspects, const std::string& name) {
  Plan narrow = plan;
  narrow.name = name;
  for (Workload& workload : narrow.workloads) {
    const auto is_control = [&](const std::string& variant) {
      return std::ranges::any_of(plan.gates, [&](const Gate& gate) {
        return gate.workload == workload.name && gate.relative_to == variant;
      });
    };
    const auto is_wanted = [&](const Point& point, const std::string& variant) {
      return point.skip.empty() &&
             suspects.contains({workload.name, case_id(workload.case_of(point, variant))});
    };
    std::vector<std::string> variants;
    for (const std::string& variant : workload.variants) {
      if (is_control(variant) || std::ranges::any_of(workload.points, [&](const Point& p) {
            return is_wanted(p, variant);
          })) {
        variants.push_back(variant);
      }
    }
    std::erase_if(workload.points, [&](const Point& point) {
      return std::ranges::none_of(variants,
                                  [&](const std::string& v) { return is_wanted(point, v); });
    });
    workload.variants = variants;
    std::int64_t times = 1;
    for (const auto& [key, asked] : suspects) {
      if (key.first == workload.name) times = std::max(times, asked);
    }
    workload.replicates *= times;
    if (!variants.empty() && std::ranges::count(variants, workload.baseline) == 0) {
      workload.baseline = variants.front();
    }
  }
  std::erase_if(narrow.workloads, [](const Workload& w) { return w.points.empty(); });
  return narrow;
}

bool is_change_word(Word word) { return word == Word::improved || word == Word::regressed; }

// The verdict that stands after two measurements.
Verdict standing(const Verdict& first, const Verdict& second) {
  if (first.word == second.word || !is_change_word(first.word)) return second;
  const bool told_apart = second.word == Word::unchanged || is_change_word(second.word);
  Verdict verdict = second;
  verdict.word = told_apart ? Word::unchanged : Word::inconclusive;
  verdict.reason =
      format("{} at first, {} when measured again", to_string(first.word), to_string(second.word));
  return verdict;
}

const Row* row_like(const Row& row, const Comparison& comparison) {
  const auto same = std::ranges::find_if(
      comparison.rows, [&](const Row& r) { return subject_of(r) == subject_of(row); });
  return same == comparison.rows.end() ? nullptr : &*same;
}

// What the program before says of a change, measured in turn with the one of now: the change is
// the program's, or that program is as far off and the machine has changed. A shift that lasts is
// told either way.
Row with_cause(const Row& first, const Row& second, const Row& beside) {
  const Word word = first.verdict.word;
  if (beside.verdict.word == word) {
    Row row = beside;
    row.verdict.reason =
        "by the program: the one before, measured in turn with it, differs as much";
    return row;
  }
  Row row = second;
  row.verdict = standing(first.verdict, second.verdict);
  if (row.verdict.word == word && beside.verdict.word == Word::unchanged) {
    row.verdict.reason = "by the machine: the program before is as far off when measured now";
  }
  return row;
}

// `beside`: against the program before; none: there is none.
void settle(Row& row, const Comparison& again, const std::optional<Comparison>& beside,
            Confirmation& done) {
  const Row* second = row_like(row, again);
  if (second == nullptr) return;
  ++done.again;
  const Row* third = beside && is_change_word(row.verdict.word) ? row_like(row, *beside) : nullptr;
  if (third != nullptr) {
    row = with_cause(row, *second, *third);
  } else {
    const Verdict first = row.verdict;
    row = *second;
    row.verdict = standing(first, second->verdict);
  }
  if (row.verdict.word == Word::unchanged) ++done.dismissed;
}

}  // namespace

std::vector<std::int64_t> measure_again(Store& store, const Recheck& recheck,
                                        const Suspects& suspects) {
  const Plan& plan = *recheck.plan;
  const Plan now = narrowed(plan, suspects, plan.name + std::string(kRecheck));
  const Plan before = narrowed(plan, suspects, plan.name + std::string(kRecheckBefore));
  std::vector<Arm> arms{{&now, recheck.request, worker_command()}};
  if (recheck.old) arms.push_back({&before, recheck.request, {recheck.old->string(), "worker"}});
  std::vector<std::int64_t> runs;
  for (const Executed& executed : execute_interleaved(store, arms, *recheck.survey)) {
    runs.push_back(executed.run);
  }
  return runs;
}

Confirmation confirm(Store& store, const Recheck& recheck, std::vector<Against>& all) {
  Confirmation done;
  const Suspects suspects = suspects_of(all, recheck.told);
  if (suspects.empty() || interrupted()) return done;
  const std::vector<std::int64_t> runs = measure_again(store, recheck, suspects);
  const RunRecord again = load_run(store, runs.front(), LoadSamples::no);
  const auto against = [&](std::int64_t run, const Comparison& first) {
    return compare_by(recheck.plan->gates, load_run(store, run, LoadSamples::no), again, false,
                      first.rows.size());
  };
  std::optional<Comparison> beside;
  if (recheck.old) beside = against(runs.back(), all.front().comparison);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Comparison second = against(all[i].reference, all[i].comparison);
    std::vector<Row>& rows = all[i].comparison.rows;
    for (Row& row : rows) {
      if (!is_suspect(row, rows.size(), i == 0, recheck.told)) continue;
      settle(row, second, i == 0 ? beside : std::nullopt, done);
    }
  }
  return done;
}

}  // namespace bench
