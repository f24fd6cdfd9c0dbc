#pragma once

#include <span>

#include "results/verdict.h"

namespace bench {

// Cases measured in turns drift together when the machine does: what is a hair's breadth in each is
// plain in all. The drift common to the unpaired comparisons of a family, as the log ratio by which
// a replicate is worse than the one before; 0 unless clear (99 %) against what the mean over the
// cases scatters from replicate to replicate, which holds the noise that they share.
double machine_drift(std::span<const Judged> family);

}  // namespace bench
