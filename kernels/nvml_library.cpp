#include "kernels/nvml_library.h"

#include <dlfcn.h>

namespace bench::nvml {
namespace {

constexpr unsigned kTextBytes = 96;
constexpr unsigned kMostProcesses = 64;

}  // namespace

Library::Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  started_ = handle_ != nullptr && call("nvmlInit_v2");
}

Library::~Library() {
  if (started_) call("nvmlShutdown");
  if (handle_ != nullptr) dlclose(handle_);
}

void* Library::find(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

std::string Library::text(const char* name, Gpu gpu) const {
  std::array<char, kTextBytes> buffer{};
  return call(name, gpu, buffer.data(), kTextBytes) ? buffer.data() : "";
}

std::vector<ProcessInfo> Library::processes(Gpu gpu) const {
  std::vector<ProcessInfo> found(kMostProcesses);
  unsigned count = kMostProcesses;
  if (!call("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, found.data())) count = 0;
  found.resize(count);
  return found;
}

std::vector<Reason> Library::reasons(Gpu gpu) const {
  Wide bits = 0;
  std::vector<Reason> found;
  if (!call("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &bits)) return found;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) found.push_back(reason);
  }
  return found;
}

}  // namespace bench::nvml
