#pragma once

#include <span>
#include <vector>

#include "results/level_fit.h"

namespace bench {

// A drift takes at least a week of nights; anything faster is a step that noise blurs.
constexpr std::size_t kShortestDrift = 7;

// Replaces steps, or rows of transitions in one direction, by one drift each where that describes
// the nights better: by Schwarz's criterion, in which a place costs as much as two levels (Zhang &
// Siegmund 2007), and one step is preferred to one drift unless the evidence is strong.
void merge_into_drifts(std::span<const double> values, std::vector<Transition>& transitions);

}  // namespace bench
