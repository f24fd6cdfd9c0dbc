#include "dashboards/verdict_sentence.h"

#include <algorithm>
#include <set>

#include "dashboards/row_text.h"
#include "dashboards/text.h"
#include "harness/format.h"

namespace bench {
namespace {

// Shares of a change that is called all or mostly.
constexpr double kAllOfIt = 0.9, kMostOfIt = 0.5;
constexpr std::size_t kNamedCases = 3;

std::string finding(const Row& row) {
  const RowText figures = row_text(row);
  std::string text = place_text(row.workload, row.label) + " " + row.what.variant;
  if (row.metric != "tpot_s") text += " " + row.metric;
  if (!figures.change.empty()) text += " " + figures.change;
  if (!figures.interval.empty()) text += " " + figures.interval;
  const std::string where = attribution(row);
  return where.empty() ? text : text + ", " + where;
}

// "48 cases", or "96 comparisons of 48 cases" where several metrics of a case are judged.
std::string total_text(const Comparison& comparison) {
  std::set<std::pair<std::string, std::string>> cases;
  for (const Row& row : comparison.rows) cases.emplace(row.workload, case_id(row.what));
  const std::size_t rows = comparison.rows.size();
  if (cases.size() == rows) return rows == 1 ? "1 case" : format("{} cases", rows);
  return format("{} comparisons of {} cases", rows, cases.size());
}

// "48 cases"; "46 of 48 cases" where the others could not be judged.
std::string unchanged_text(const Comparison& comparison) {
  const std::int64_t unchanged = comparison.count(Word::unchanged);
  const std::string total = total_text(comparison);
  return unchanged == std::ssize(comparison.rows) ? total : format("{} of {}", unchanged, total);
}

std::string found_text(const Comparison& comparison, Word word) {
  const std::vector<const Row*> rows = rows_of(comparison, word);
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(rows.size(), kNamedCases); ++i)
    named.push_back(finding(*rows[i]));
  if (rows.size() > kNamedCases) named.push_back(format("and {} more", rows.size() - kNamedCases));
  return format("{} of {} {}: {}.", rows.size(), total_text(comparison), to_string(word),
                join(named, "; "));
}

// "21 inconclusive", and why where all of them have the same reason.
std::string unjudged_text(const Comparison& comparison, Word word) {
  const std::vector<const Row*> rows = rows_of(comparison, word);
  std::string text = format("{} {}", rows.size(), to_string(word));
  const std::string& reason = rows.front()->verdict.reason;
  const bool same =
      std::ranges::all_of(rows, [&](const Row* row) { return row->verdict.reason == reason; });
  if (rows.size() > 1 && same && !reason.empty()) text += format(" ({})", reason);
  return text;
}

}  // namespace

std::string attribution(const Row& row) {
  if (row.metric != "tpot_s" || row.stages.empty()) return {};
  double total = 0;
  for (const StageChange& stage : row.stages) total += stage.change_s;
  if (total == 0) return {};
  const auto largest = std::ranges::max_element(
      row.stages, {}, [&](const StageChange& s) { return s.change_s / total; });
  const std::string name =
      largest->stage == "unattributed" ? "time of no stage" : std::string(largest->stage);
  const double share = largest->change_s / total;
  if (share >= kAllOfIt) return "all of it in " + name;
  if (share >= kMostOfIt) return format("mostly in {} ({:.0f} %)", name, share * 100);
  return "spread over the stages";
}

std::string verdict_sentence(const Comparison& comparison) {
  if (!comparison.refused.empty()) return "Not compared: " + comparison.refused + ".";
  if (comparison.rows.empty()) return "The two runs have no case in common.";
  std::string text;
  if (comparison.count(Word::regressed) > 0) {
    text = found_text(comparison, Word::regressed);
  } else if (comparison.count(Word::improved) > 0) {
    text = "Nothing regressed. " + found_text(comparison, Word::improved);
  } else if (comparison.count(Word::unchanged) > 0) {
    text = format("Nothing is shown to have changed in {}.", unchanged_text(comparison));
  }
  std::vector<std::string> unjudged;
  for (const Word word : {Word::invalid, Word::missing, Word::inconclusive}) {
    if (comparison.count(word) > 0) unjudged.push_back(unjudged_text(comparison, word));
  }
  if (text.empty())
    return format("None of {} could be judged: {}.", total_text(comparison), join(unjudged, ", "));
  if (!unjudged.empty()) text += format(" Not judged: {}.", join(unjudged, ", "));
  return text;
}

Word worst_word(const Comparison& comparison) {
  for (const Word word : kWordOrder) {
    if (comparison.count(word) > 0) return word;
  }
  return Word::invalid;
}

}  // namespace bench
