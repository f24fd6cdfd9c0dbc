#include "harness/app/night_past.h"

#include "harness/app/night_date.h"
#include "harness/format.h"

namespace bench {

void add_note(std::string& notes, const std::string& note) {
  notes += (notes.empty() ? "" : "; ") + note;
}

PastNights look_back(Store& store, const std::string& configuration, const std::string& night) {
  PastNights past;
  std::string last;                                     // before this one
  for (Night& n : list_nights(store, configuration)) {  // newest first
    if (n.night < night && last.empty()) last = n.night;
    if (n.state != "running" || n.night > night) continue;
    if (n.night == night) {
      past.notes = n.notes;
      add_note(past.notes, "interrupted, gone on with");
      continue;
    }
    n.state = "not measured";
    add_note(n.notes, "ended early");
    past.events.push_back(format("night {} ended early: it was begun and never finished{}", n.night,
                                 n.run ? format(" (run {})", *n.run) : std::string()));
    past.ended_early.push_back(n);
  }
  if (last.empty()) return past;
  const std::vector<std::string> missing = nights_between(last, night);
  if (missing.size() == 1) {
    past.events.push_back(format("night {} did not run", missing.front()));
  } else if (!missing.empty()) {
    past.events.push_back(
        format("{} nights did not run: {} to {}", missing.size(), missing.front(), missing.back()));
  }
  return past;
}

}  // namespace bench
