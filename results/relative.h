#pragma once

#include <string>
#include <vector>

#include "results/side.h"

namespace bench {

// A case beside a control: a variant that was measured in turn with it, and that has not changed.
// What the machine does to both cancels out.
//
// A side as it would have been, had its control always taken `level`: in each replicate the metric
// (for tpot_s its stages too) times level / the control's value. Replicates without a control are
// left out.
class RelativeSide {
 public:
  RelativeSide(const Side& side, const Reading& control, const std::string& metric, double level);
  RelativeSide(const RelativeSide&) = delete;
  RelativeSide& operator=(const RelativeSide&) = delete;
  ~RelativeSide() = default;

  [[nodiscard]] const Side& side() const { return side_; }  // as long as this object is there

 private:
  std::vector<Measurement> measurements_;
  Side side_;
};

}  // namespace bench
