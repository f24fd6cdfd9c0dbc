#include <algorithm>
#include <filesystem>

#include "harness/error.h"
#include "harness/format.h"
#include "results/trace/trace_export.h"

namespace bench {
namespace {

// Everything but the pool's copy, the fetch behind it and attention itself.
double rest_of_step_s(const TraceAnalysis& a, const Waste& waste) {
  double rest = a.step_s - waste.seconds - a.of(Category::attention).seconds;
  for (const KernelRow& row : a.rows) {
    const bool fetch = row.category == Category::gather_scatter && waste.active_tokens > 0 &&
                       row.work.rows == waste.active_tokens;
    if (fetch) rest -= row.seconds;
  }
  return std::max(rest, 0.0);
}

// A plan's name takes letters, digits, '_' and '-'.
std::string plan_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name = name.substr(0, name.find('.'));
  for (char& c : name) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!fine && c != '-') c = '_';
  }
  return name.empty() ? "trace" : name;
}

}  // namespace

std::string likely_model(std::int64_t layers) {
  if (layers == 61) return "deepseek-v3";
  if (layers == 27) return "deepseek-v2-lite";
  if (layers == 60) return "deepseek-v2";
  return "glm5";
}

std::string trace_workload(const TraceAnalysis& a, const std::string& model) {
  if (a.waste.empty()) fail_usage("--workload: the trace shows no waste to reproduce");
  const Waste& w = a.waste.front();
  if (w.pool_tokens == 0) {
    fail_usage("--workload: the rows of the pool are not known (--row VALUES says their width)");
  }
  const std::int64_t context = w.active_tokens > 0 ? w.active_tokens : 4096;
  std::string out =
      format("# From the trace {}: {}, {} steps by {}.\n",
             std::filesystem::path(a.path).filename().string(),
             a.device_name.empty() ? "a device" : a.device_name, a.step_count(), a.method);
  if (w.active_tokens == 0)
    out += "# The trace does not show the active tokens: context is a guess.\n";
  out += format("name: {}\nmodel: {}\n", plan_name(a.path), model);
  out += format("defaults:\n  layers: {}\n  page_size: 1\n  placement: scattered\n", w.layers);
  out += format("  rest_of_step_ms: {:.4f}\n", rest_of_step_s(a, w) * 1e3);
  out +=
      "  rest_of_step_source: the trace, its step less the pool's copy, the fetch behind it and "
      "attention\n";
  out += "workloads:\n  from_trace:\n    runner: kernel\n";
  out += "    variants: [full_pool_cast, gather_cast, native_fp8, bf16_pool]\n";
  out += "    baseline: full_pool_cast\n";
  out += format("    sweep: {{context: [{}], pool_tokens: [{}]}}\n", context, w.pool_tokens);
  return out;
}

}  // namespace bench
