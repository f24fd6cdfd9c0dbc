#pragma once

#include <string>

#include "results/compare.h"

namespace bench {

// A comparison in one sentence: "2 of 48 cases regressed: single_stream context 64k native_fp8
// +4.1 % [+3.2, +5.0], all of it in attention. Not judged: 1 missing." What is gravest comes first.
std::string verdict_sentence(const Comparison& comparison);

// Which stage a change of TPOT came from: "all of it in attention", "mostly in cast (72 %)",
// "spread over the stages"; empty where stages or a change are missing.
std::string attribution(const Row& row);

// The gravest word of the rows: regressed, then what could not be judged, improved, unchanged.
// invalid when nothing was compared.
Word worst_word(const Comparison& comparison);

}  // namespace bench
