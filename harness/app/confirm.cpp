#include "harness/app/confirm.h"

#include <algorithm>

#include "harness/app/interrupt.h"
#include "harness/format.h"

namespace bench {
namespace {

// Whether someone would be told of the row, and a second look can change that.
bool is_suspect(const Row& row, bool is_main, const std::set<std::string>& told) {
  if (!row.evidence || told.contains(subject_of(row))) return false;
  const Word word = row.verdict.word;
  if (word == Word::regressed) return true;
  return is_main && (word == Word::improved || word == Word::inconclusive);
}

using Suspects = std::set<std::pair<std::string, std::string>>;  // workload, case id

Suspects suspects_of(const std::vector<Against>& all, const std::set<std::string>& told) {
  Suspects suspects;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Row& row : all[i].comparison.rows) {
      if (is_suspect(row, i == 0, told)) suspects.emplace(row.workload, case_id(row.what));
    }
  }
  return suspects;
}

// The plan with these cases alone; their variants are still measured together.
Plan narrowed(const Plan& plan, const Suspects& suspects, const std::string& name) {
  Plan narrow = plan;
  narrow.name = name;
  for (Workload& workload : narrow.workloads) {
    const auto is_wanted = [&](const Point& point, const std::string& variant) {
      return point.skip.empty() &&
             suspects.contains({workload.name, case_id(workload.case_of(point, variant))});
    };
    std::vector<std::string> variants;
    for (const std::string& variant : workload.variants) {
      if (std::ranges::any_of(workload.points,
                              [&](const Point& p) { return is_wanted(p, variant); })) {
        variants.push_back(variant);
      }
    }
    std::erase_if(workload.points, [&](const Point& point) {
      return std::ranges::none_of(variants,
                                  [&](const std::string& v) { return is_wanted(point, v); });
    });
    workload.variants = variants;
    if (!variants.empty() && std::ranges::count(variants, workload.baseline) == 0) {
      workload.baseline = variants.front();
    }
  }
  std::erase_if(narrow.workloads, [](const Workload& w) { return w.points.empty(); });
  return narrow;
}

// The verdict that stands after two measurements.
Verdict standing(const Verdict& first, const Verdict& second) {
  if (first.word == second.word) return second;
  const bool told_apart = second.word == Word::unchanged || second.word == Word::improved ||
                          second.word == Word::regressed;
  if (first.word == Word::inconclusive && told_apart) return second;
  Verdict verdict = second;
  verdict.word = told_apart ? Word::unchanged : Word::inconclusive;
  verdict.reason =
      format("{} at first, {} when measured again", to_string(first.word), to_string(second.word));
  return verdict;
}

void settle(Row& row, const Comparison& again, Confirmation& done) {
  const auto second = std::ranges::find_if(
      again.rows, [&](const Row& r) { return subject_of(r) == subject_of(row); });
  if (second == again.rows.end()) return;
  ++done.again;
  const Verdict first = row.verdict;
  row = *second;
  row.verdict = standing(first, second->verdict);
  if (row.verdict.word == Word::unchanged) ++done.dismissed;
}

}  // namespace

Confirmation confirm(Store& store, const Recheck& recheck, std::vector<Against>& all) {
  Confirmation done;
  const Suspects suspects = suspects_of(all, recheck.told);
  if (suspects.empty() || interrupted()) return done;
  const Plan& plan = *recheck.plan;
  const Plan now = narrowed(plan, suspects, plan.name + ".confirm");
  const Plan before = narrowed(plan, suspects, plan.name + ".confirm-before");
  std::vector<Arm> arms{{&now, recheck.request, worker_command()}};
  if (recheck.old) arms.push_back({&before, recheck.request, {recheck.old->string(), "worker"}});
  for (const Executed& executed : execute_interleaved(store, arms, *recheck.survey)) {
    done.runs.push_back(executed.run);
  }
  const RunRecord again = load_run(store, done.runs.front(), LoadSamples::no);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t reference = i == 0 && recheck.old ? done.runs.back() : all[i].reference;
    const Comparison second =
        compare_by(plan.gates, load_run(store, reference, LoadSamples::no), again);
    for (Row& row : all[i].comparison.rows) {
      if (is_suspect(row, i == 0, recheck.told)) settle(row, second, done);
    }
  }
  return done;
}

}  // namespace bench
