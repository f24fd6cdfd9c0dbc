#include <chrono>
#include <cstdlib>

#include "kernels/variant.h"

// full_pool_cast, whose cast takes longer by the fraction in BENCH_PLANTED: a real slowdown of
// known size in one stage. Only bench_planted has it.
namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

const KernelVariant& original() { return *Registry<KernelVariant>::find("cpu:full_pool_cast"); }

double planted() {
  const char* text = std::getenv("BENCH_PLANTED");
  return text == nullptr ? 0 : std::strtod(text, nullptr);
}

Pipeline build(Problem& problem, Device& device) {
  Pipeline pipeline = original().build(problem, device);
  for (StageCall& call : pipeline) {
    if (call.stage != Stage::cast) continue;
    call.enqueue = [cast = call.enqueue, longer = 1 + planted()](int layer) {
      const auto start = Clock::now();
      cast(layer);
      const auto end = start + longer * (Clock::now() - start);
      while (Clock::now() < end) {
      }
    };
  }
  return pipeline;
}

const Register<KernelVariant> registered{
    {.name = "planted",
     .device = DeviceKind::cpu,
     .summary = "full_pool_cast with a cast that is slower by BENCH_PLANTED",
     .pool = PoolFormat::e4m3,
     .unsupported = [](const StepShape& s,
                       const DeviceInfo& d) { return original().unsupported(s, d); },
     .traffic = [](const StepShape& s) { return original().traffic(s); },
     .scratch_bytes = [](const StepShape& s) { return original().scratch_bytes(s); },
     .build = build}};

}  // namespace
}  // namespace bench
