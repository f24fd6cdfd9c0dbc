// Two GPUs as the driver's library would tell of them; what is wrong with the second is in the
// environment: FAKE_GPU=idle, busy, hidden, hot.

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool second_is(void* gpu, const char* state) {
  const char* set = std::getenv("FAKE_GPU");
  return gpu == reinterpret_cast<void*>(2) && set != nullptr && std::string(set) == state;
}

struct Memory {
  unsigned long long total, free, used;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
  *gpu = reinterpret_cast<void*>(static_cast<unsigned long>(index) + 1);
  return 0;
}
int nvmlDeviceGetUUID(void* gpu, char* text, unsigned /*bytes*/) {
  std::strcpy(text, gpu == reinterpret_cast<void*>(1) ? "GPU-fake" : "GPU-other");
  return 0;
}
int nvmlDeviceGetName(void* /*gpu*/, char* text, unsigned /*bytes*/) {
  std::strcpy(text, "NVIDIA Fake");
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* gpu, Memory* memory) {
  const bool held = second_is(gpu, "hidden") || second_is(gpu, "busy");
  *memory = {100'000'000'000, 0, held ? 40'000'000'000u : 500'000'000u};
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* gpu, unsigned long long* reasons) {
  *reasons = second_is(gpu, "hot") ? 0x41 : 0x01;  // 0x01: idle
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* gpu, unsigned* count, ProcessInfo* processes) {
  *count = second_is(gpu, "busy") ? 1 : 0;
  if (*count == 1) processes[0] = {1, 40'000'000'000, 0, 0};
  return 0;
}
}
