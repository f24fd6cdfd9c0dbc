#pragma once

#include <cstdint>
#include <string>

#include "kernels/problem.h"
#include "kernels/step.h"

namespace bench {

// Largest error allowed of an output row, relative to the row's norm. BF16 keeps 8 significant
// bits, so the output's rounding moves an element by at most 2^-8 of itself, and the row's norm by
// no more. Rows of spread values are off by 1.6e-3 from it, one-hot rows, which hold few different
// values, by up to 2.7e-3; what is left is for errors before it. Zero output is off by 1.
inline constexpr double kOutputTolerance = 0x1p-8;
// Of the natural-log LSE: absolute, and relative to its magnitude.
inline constexpr double kLseTolerance = 1e-3;
inline constexpr double kLseRelativeTolerance = 1e-4;

struct CheckResult {
  bool correct = false;
  std::string reason;       // in words, of the worst fault; empty: correct
  double output_error = 0;  // largest, against FP64 on the rows as stored: the kernel's
  double lse_error = 0;     // largest, absolute
  double quantisation_error =
      0;  // largest, FP64 on the rows as stored against FP64 on the originals: the format's
  std::int64_t rows_compared = 0;
};

// Runs the variant on the problem's check_layers(), each twice (a second step finds what the first
// one left), and compares outputs, LSE and the pool with what they must be. Outputs start as NaN,
// new slots as the rows of an earlier request. Leaves the pools as they should be.
// All ranks of a step check together: what they merge against the tokens of all of them, and their
// all-reduce against its sum. One rank's fault ends the check of all; only that one says it.
CheckResult check(const KernelVariant& variant, Problem& problem, const Together& together = {});

}  // namespace bench
