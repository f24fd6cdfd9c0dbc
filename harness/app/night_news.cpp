#include "harness/app/night_news.h"

#include <algorithm>

namespace bench {
namespace {

bool is_same_incident(const Incident& a, const Incident& b) {
  return a.kind == b.kind && a.subject == b.subject;
}

bool is_hidden_by_noise(const Finding& found) {
  if (found.incident.kind != "unjudged" || !found.row) return false;
  const Row& row = *found.row;
  return row.verdict.word == Word::inconclusive || !row.baseline_disturbed.empty() ||
         !row.candidate_disturbed.empty();
}

// A regression that is open is no news where the trend comes to see it as well, nor where noise
// hides it for a night.
bool tells_of(const Incident& told, const Finding& found) {
  if (is_same_incident(told, found.incident)) return true;
  return told.kind == "regression" && told.subject == found.incident.subject &&
         (found.incident.kind == "drift" || is_hidden_by_noise(found));
}

// That a better time is accepted, or a run pinned, is no news to who did it.
bool is_told_when_over(const Incident& incident) {
  return incident.kind != "improvement" && incident.kind != "baseline";
}

}  // namespace

NightNews news_of(const std::vector<Finding>& findings, const std::vector<Against>& all,
                  const std::vector<Incident>& told) {
  NightNews night;
  for (const Finding& f : findings) {
    if (night.exit != Exit::regression && f.exit != Exit::ok) night.exit = f.exit;
    const bool known = std::ranges::any_of(told, [&](const Incident& i) { return tells_of(i, f); });
    if (!known) night.news.opened.push_back(f);
  }
  for (const Incident& incident : told) {
    const bool still = std::ranges::any_of(
        findings, [&](const Finding& f) { return is_same_incident(f.incident, incident); });
    if (still || !is_over(incident, all)) continue;
    night.closed.push_back(incident.id);
    if (is_told_when_over(incident)) night.news.closed.push_back(incident);
  }
  return night;
}

}  // namespace bench
