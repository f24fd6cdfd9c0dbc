#include "harness/app/requests_of.h"

#include <algorithm>

#include "runners/http/load_plan.h"
#include "runners/http/record_codec.h"
#include "runners/http/request_metrics.h"

namespace bench {
namespace {

RequestTrace trace_of(const RequestRecord& record) {
  RequestTrace trace{.sent_s = record.sent.count(),
                     .end_s = record.end.count(),
                     .warm_up = record.phase == Phase::warm_up};
  if (record.failure != Failure::none) {
    trace.failure = to_string(record.failure);
    return trace;
  }
  if (const auto time = ttft(record)) trace.ttft_s = time->count();
  if (const auto time = tpot(record)) trace.tpot_s = time->count();
  return trace;
}

}  // namespace

PassTrace requests_of(const Measurement& measurement) {
  PassTrace pass;
  if (measurement.requests.empty()) return pass;
  std::vector<RequestRecord> records = decode_records(measurement.requests);
  std::erase_if(records, [](const RequestRecord& r) { return r.sent < Seconds{0}; });
  std::ranges::stable_sort(records, {}, &RequestRecord::sent);
  for (const RequestRecord& record : records) {
    pass.requests.push_back(trace_of(record));
    if (record.phase == Phase::warm_up || record.failure != Failure::none) continue;
    const std::vector<double> gaps = itl(record);
    pass.gaps_s.insert(pass.gaps_s.end(), gaps.begin(), gaps.end());
  }
  const Parameters& p = measurement.what.parameters;
  const LoadPlan plan{.rate_per_s = p.request_rate_per_s,
                      .warm_up = Seconds(p.warm_up_s),
                      .ramp = Seconds(p.ramp_s)};
  const Window window = steady_window(records, plan.warm_up_end());
  if (window.length() <= Seconds{0}) return pass;
  pass.steady_from_s = window.begin.count();
  pass.steady_to_s = window.end.count();
  return pass;
}

}  // namespace bench
