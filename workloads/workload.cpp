#include "workloads/workload.h"

namespace bench {

Case Workload::case_of(const Point& point, const std::string& variant) const {
  return {.runner = runner, .variant = variant, .parameters = point.parameters};
}

}  // namespace bench
