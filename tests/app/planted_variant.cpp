#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "kernels/variant.h"

// full_pool_cast, whose cast takes longer by the fraction planted(): a real slowdown of
// known size in one stage. Only bench_planted has it.
namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

const KernelVariant& original() { return *Registry<KernelVariant>::find("cpu:full_pool_cast"); }

// BENCH_PLANTED, else what is written behind the program itself ("...PLANTED=0.03\n"), so that a
// slower program is another file.
double planted() {
  constexpr std::string_view kKey = "PLANTED=";
  if (const char* text = std::getenv("BENCH_PLANTED")) return std::strtod(text, nullptr);
  std::ifstream self("/proc/self/exe", std::ios::binary);
  self.seekg(-32, std::ios::end);
  const std::string end{std::istreambuf_iterator<char>(self), {}};
  const auto at = end.find(kKey);
  return at == std::string::npos ? 0 : std::strtod(end.c_str() + at + kKey.size(), nullptr);
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
