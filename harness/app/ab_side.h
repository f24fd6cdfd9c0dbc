#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/app/arguments.h"
#include "workloads/case.h"

namespace bench {

// One thing that a side of `bench ab` measures in every replicate.
struct AbCase {
  Case what;
  std::string workload;
  std::string label;  // the axes
};

// A side of `bench ab`: a configuration with its --set, or a shell command whose wall time counts.
class AbSide {
 public:
  virtual ~AbSide() = default;
  [[nodiscard]] virtual const std::vector<AbCase>& cases() const = 0;
  // One value a case, in their order, of a fresh process; NaN for one that has no speed (incorrect,
  // not supported). Throws Error when any fails.
  virtual std::vector<double> measure(std::int64_t replicate) = 0;
};

// `text` as given to --a or --b: "configs/glm5.yaml --set launch=eager" (the first word is a file
// that ends in .yaml or .yml) or any other shell command.
std::unique_ptr<AbSide> make_ab_side(const std::string& text, const std::string& metric,
                                     const Arguments& arguments);

}  // namespace bench
