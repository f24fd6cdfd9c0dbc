#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "kernels/variant.h"

// native_fp8 with a fault on rank 1, in the first layer that is checked. Only bench_planted has
// them: rank1_fails, rank1_hangs, rank1_dies, rank1_is_wrong, on a CPU and on GPUs; and
// rank1_stops_its_parent.
namespace bench {
namespace {

using Fault = void (*)(const Problem&);

void fails(const Problem&) { throw std::runtime_error("planted failure"); }
void hangs(const Problem&) { std::this_thread::sleep_for(std::chrono::hours(1)); }
void dies(const Problem&) { std::raise(SIGKILL); }
void stops_its_parent(const Problem&) { kill(getppid(), SIGSTOP); }
void is_wrong(const Problem& problem) {
  const StepShape& shape = problem.shape();
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(shape.new_tokens() * shape.heads * shape.latent) * 2);
  problem.device().upload(problem.output(), zeros);
}

KernelVariant planted(DeviceKind device, const char* name, Fault fault) {
  const auto original = [device]() -> const KernelVariant& {
    return *Registry<KernelVariant>::find(to_string(device) + ":native_fp8");
  };
  return {.name = name,
          .device = device,
          .summary = "native_fp8 with a fault on rank 1",
          .pool = PoolFormat::e4m3,
          .unsupported = [original](const StepShape& s,
                                    const DeviceInfo& d) { return original().unsupported(s, d); },
          .traffic = [original](const StepShape& s) { return original().traffic(s); },
          .scratch_bytes = [original](const StepShape& s) { return original().scratch_bytes(s); },
          .build =
              [original, fault](Problem& problem, Device& on) {
                Pipeline pipeline = original().build(problem, on);
                if (problem.part().rank != 1) return pipeline;
                pipeline.push_back({Stage::attention, [&problem, fault](int) { fault(problem); }});
                return pipeline;
              }};
}

const Register<KernelVariant> kCpuFails{planted(DeviceKind::cpu, "rank1_fails", fails)};
const Register<KernelVariant> kCpuHangs{planted(DeviceKind::cpu, "rank1_hangs", hangs)};
const Register<KernelVariant> kCpuDies{planted(DeviceKind::cpu, "rank1_dies", dies)};
const Register<KernelVariant> kCpuStops{
    planted(DeviceKind::cpu, "rank1_stops_its_parent", stops_its_parent)};
const Register<KernelVariant> kCpuWrong{planted(DeviceKind::cpu, "rank1_is_wrong", is_wrong)};
const Register<KernelVariant> kGpuFails{planted(DeviceKind::cuda, "rank1_fails", fails)};
const Register<KernelVariant> kGpuHangs{planted(DeviceKind::cuda, "rank1_hangs", hangs)};
const Register<KernelVariant> kGpuDies{planted(DeviceKind::cuda, "rank1_dies", dies)};
const Register<KernelVariant> kGpuWrong{planted(DeviceKind::cuda, "rank1_is_wrong", is_wrong)};

}  // namespace
}  // namespace bench
