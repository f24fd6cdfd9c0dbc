#include "harness/app/night_news.h"

#include <algorithm>

namespace bench {
namespace {

bool is_same_incident(const Incident& a, const Incident& b) {
  return a.kind == b.kind && a.subject == b.subject;
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
    const bool known = std::ranges::any_of(
        told, [&](const Incident& i) { return is_same_incident(i, f.incident); });
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
