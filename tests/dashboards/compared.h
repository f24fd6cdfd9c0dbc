#pragma once

#include "dashboards/compare_report.h"

namespace bench::testing {

// Two runs of the quickstart with eight replicates a case, judged for real. At context 16k of
// single_stream the candidate has native_fp8 4.2 % slower in attention, gather_cast faster in
// gather and cast, bf16_pool too noisy, shadow_bf16 not measured and full_pool_cast throttled.
CompareReport compare_report();

// A record that has what the report shows.
RunRecord record_of(const RunReport& report, std::int64_t number);

}  // namespace bench::testing
