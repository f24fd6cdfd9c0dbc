#include "harness/app/compare_report_of.h"

#include "harness/app/report_of.h"

namespace bench {

CompareReport compare_report_of(const RunRecord& baseline, const RunRecord& candidate,
                                const CompareOptions& options) {
  return {.baseline = report_of(baseline),
          .candidate = report_of(candidate),
          .comparison = compare(baseline, candidate, options)};
}

}  // namespace bench
