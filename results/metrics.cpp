#include <algorithm>
#include <iterator>

#include "results/result.h"

namespace bench {
namespace {

using enum Better;

// A change of a definition is a new version of its row: what was stored under the old one keeps
// it, and no comparison mixes the two.
constexpr MetricInfo kMetrics[] = {
    // Of every runner.
    {"tpot_s", "s", lower, 1,
     "time per output token. kernel: median time of a decode step of the layers measured. "
     "http: (last - first token event) / (tokens - tokens of the first event), median of the "
     "requests"},
    {"tokens_per_s", "1/s", higher, 1, "one user's output tokens per second: 1 / tpot_s"},
    {"output_tokens_per_s", "1/s", higher, 1,
     "output tokens per second of all requests together. kernel: concurrency / tpot_s. http: "
     "output tokens in the steady window / its length"},
    {"output_tokens_per_s_per_gpu", "1/s", higher, 1,
     "output_tokens_per_s / GPUs of the server or step; input tokens never count"},
    {"tpot_mean_s", "s", lower, 1, "mean of the steps' (requests') TPOT"},
    {"tpot_p95_s", "s", lower, 1, "95th percentile of the steps' (requests') TPOT"},
    {"tpot_p99_s", "s", lower, 1, "99th percentile of the steps' (requests') TPOT"},
    {"energy_per_token_j", "J", lower, 1, "energy of the devices / output tokens"},

    // The decode step (kernel).
    {"step_min_s", "s", lower, 1, "fastest step"},
    {"step_cycles", "", lower, 1, "median over the steps of time x SM clock"},
    {"step_relative_error", "", lower, 1,
     "half width of the 95 % interval of the median step / the median step"},
    {"moved_bytes", "bytes", lower, 1,
     "bytes a step reads and writes, by the variant's declaration"},
    {"needed_bytes", "bytes", lower, 1, "active tokens x bytes of a row x layers"},
    {"amplification", "", lower, 1, "moved_bytes / needed_bytes"},
    {"bytes_per_s", "bytes/s", higher, 1, "bytes moved per second"},
    {"bandwidth_share", "", higher, 1,
     "bytes_per_s / copy bandwidth measured on that device in that run"},
    {"predicted_step_s", "s", lower, 1, "moved_bytes / measured copy bandwidth"},
    {"stages_s", "s", lower, 1, "sum of the stages of an instrumented step"},
    {"unattributed_s", "s", lower, 1, "tpot_s - stages_s"},
    {"projected_tpot_s", "s", lower, 1,
     "tpot_s + rest_of_step_s, the time of everything that is not attention; not measured"},
    {"quantisation_error", "", lower, 1,
     "largest error of the FP64 reference on the pool as stored against the original rows / "
     "largest magnitude of the output"},
    {"kernel_error", "", lower, 1,
     "largest error of the output against the FP64 reference on the pool as stored / largest "
     "magnitude of the output"},
    {"warm_up_s", "s", lower, 1, "time run before the first sample"},
    {"others_cpu_share", "", lower, 1,
     "on a CPU: time of other processes and of the hypervisor / time of the cores that the step "
     "may run on, while it was measured"},

    // A step of several ranks (kernel). Its samples are the slowest rank's times.
    {"ranks", "", higher, 1, "devices that took part in each step"},
    {"rank_skew", "", lower, 1,
     "(slowest - fastest rank) / slowest, of steps that begin together; median of the steps"},
    {"allreduce_s", "s", lower, 1,
     "one all-reduce of [new tokens, hidden] BF16: the allreduce stage / its calls"},
    {"allreduce_bytes", "bytes", lower, 1, "size of one all-reduce on each rank"},
    {"allreduce_share", "", lower, 1,
     "the allreduce stage (context parallel: the merge of partial outputs) / tpot_s"},
    {"allreduce_algbw_bytes_per_s", "bytes/s", higher, 1, "allreduce_bytes / allreduce_s"},
    {"allreduce_busbw_bytes_per_s", "bytes/s", higher, 1,
     "algbw x 2 (n - 1) / n of n ranks, which compares with a link's bandwidth (nccl-tests)"},
    {"allreduce_link_share", "", higher, 1,
     "busbw / peak of one device's link in one direction, by the topology"},
    {"set_up_s", "s", lower, 1,
     "devices opened, pools filled and every variant of the point checked, all ranks together"},

    // The live server (http). A percentile is over the requests, or over the gaps for ITL.
    {"ttft_s", "s", lower, 1,
     "first token event - the moment the request was due (open loop) or sent (closed loop); "
     "median"},
    {"ttft_mean_s", "s", lower, 1, "as ttft_s; mean"},
    {"ttft_p95_s", "s", lower, 1, "as ttft_s; 95th percentile"},
    {"ttft_p99_s", "s", lower, 1, "as ttft_s; 99th percentile"},
    {"itl_s", "s", lower, 1,
     "gap between consecutive token events / tokens of the later one; median of all gaps"},
    {"itl_p95_s", "s", lower, 1, "as itl_s; 95th percentile"},
    {"itl_p99_s", "s", lower, 1, "as itl_s; 99th percentile"},
    {"e2e_s", "s", lower, 1, "last token event - due or sent; median"},
    {"e2e_mean_s", "s", lower, 1, "as e2e_s; mean"},
    {"e2e_p95_s", "s", lower, 1, "as e2e_s; 95th percentile"},
    {"e2e_p99_s", "s", lower, 1, "as e2e_s; 99th percentile"},
    {"requests_per_s", "1/s", higher, 1, "requests completed in the steady window / its length"},
    {"requests", "", higher, 1, "requests sent"},
    {"failed_requests", "", lower, 1, "requests of any failure class"},
    {"output_tokens", "", higher, 1, "output tokens of the requests that succeeded"},
    {"input_tokens", "", higher, 1, "input tokens of the requests that succeeded"},
    {"steady_window_s", "s", higher, 1, "time in which the asked concurrency was in flight"},
    {"achieved_concurrency", "", higher, 1, "mean requests in flight over the steady window"},
    {"cached_share", "", lower, 1, "input tokens found in the prefix cache / input_tokens"},
    {"late_p99_s", "s", lower, 1, "open loop: sent - due; 99th percentile"},
    {"reconciliation", "", higher, 1,
     "output tokens by the server's own counter / by the answers; 1 when nobody else is served"},
    {"server_tpot_s", "s", lower, 1, "TPOT by the server's own clock, where it tells it; median"},
    {"server_tpot_difference", "", lower, 1,
     "|TPOT / the server's own TPOT - 1|; the largest of the requests"},
    {"server_pool_tokens", "", higher, 1, "capacity of the KV pool, as the server tells it"},
    {"client_events_per_s", "1/s", higher, 1,
     "token events the client can read here, by its self-test on the loopback"},
    {"clock_uncertainty_s", "s", lower, 1,
     "load of several processes: half width of the bounds on the difference of their clocks"},

    // Of imported benchmarks.
    {"real_time_s", "s", lower, 1, "Google Benchmark: wall time of an iteration"},
    {"cpu_time_s", "s", lower, 1, "CPU time of an iteration"},
    {"gpu_time_s", "s", lower, 1, "nvbench: mean GPU time of an isolated launch"},
    {"batch_gpu_time_s", "s", lower, 1, "nvbench: mean GPU time of back-to-back launches"},
    {"items_per_s", "1/s", higher, 1, "items processed per second"},
};

}  // namespace

const std::vector<MetricInfo>& metric_table() {
  static const std::vector<MetricInfo> kTable(std::begin(kMetrics), std::end(kMetrics));
  return kTable;
}

const MetricInfo* find_metric(std::string_view name) {
  const auto& table = metric_table();
  const auto it = std::ranges::find(table, name, &MetricInfo::name);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace bench
