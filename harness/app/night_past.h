#pragma once

#include <string>
#include <vector>

#include "results/nights.h"

namespace bench {

// What a night finds of the nights before it, and of itself.
struct PastNights {
  std::vector<std::string> events;  // to be told: a night that ended early, or did not run
  std::vector<Night> ended_early;   // as they are to be remembered now
  std::string notes;                // of this night, where it was interrupted; else empty
};
PastNights look_back(Store& store, const std::string& configuration, const std::string& night);

// "notes; note"
void add_note(std::string& notes, const std::string& note);

}  // namespace bench
