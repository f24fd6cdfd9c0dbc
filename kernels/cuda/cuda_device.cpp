#include "kernels/cuda/cuda_device.h"

#include <array>
#include <cctype>
#include <fstream>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "harness/units.h"
#include "kernels/cores.h"
#include "kernels/cuda/executable.h"
#include "kernels/cuda/nccl.h"
#include "kernels/cuda/nccl_communicator.h"
#include "kernels/cuda/pool_rows.h"

namespace bench::cuda {
namespace {

// As NVML and nvidia-smi write it.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

DeviceInfo describe(int ordinal) {
  check(cudaSetDevice(ordinal), "cudaSetDevice");
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, ordinal), "cudaGetDeviceProperties");
  return {.kind = DeviceKind::cuda,
          .name = p.name,
          .uuid = uuid_text(p.uuid),
          .ordinal = ordinal,
          .compute_capability = p.major * 10 + p.minor,
          .multiprocessors = p.multiProcessorCount,
          .shared_memory_per_block = static_cast<std::int64_t>(p.sharedMemPerBlockOptin),
          .cache_bytes = p.l2CacheSize,
          .memory_bytes = static_cast<std::int64_t>(p.totalGlobalMem),
          .runtime = format("CUDA {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10)};
}

// Makes no context.
std::string uuid_of(int ordinal) {
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, ordinal), "cudaGetDeviceProperties");
  return uuid_text(p.uuid);
}

int count_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

// A machine without a driver has none that could be too old.
std::string obstacle() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return {};
  const auto text = [](int version) {
    return format("{}.{}", version / 1000, version % 1000 / 10);
  };
  if (driver >= CUDART_VERSION / 1000 * 1000) return {};
  return format("the GPU driver is for CUDA {}, this build needs one for {}", text(driver),
                text(CUDART_VERSION / 1000 * 1000));
}

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Of the memory node that the GPU hangs on.
std::vector<int> cores_beside(int ordinal) {
  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal) != cudaSuccess) {
    return {};
  }
  std::string id = bus.data();
  for (char& c : id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string node = line_of("/sys/bus/pci/devices/" + id + "/numa_node");
  if (node.empty() || node.front() == '-') return {};
  return parse_core_list(line_of("/sys/devices/system/node/node" + node + "/cpulist"));
}

std::vector<LinkFact> links_of(std::span<const DeviceInfo> devices) {
  Link link = Nvml(devices.front().uuid).link();
  for (const DeviceInfo& other : devices.subspan(1)) {
    int peers = 0;
    cudaDeviceCanAccessPeer(&peers, devices.front().ordinal, other.ordinal);
    if (peers == 0) link = {.name = link.name + ", no peer access", .bytes_per_s = 0};
  }
  std::vector<LinkFact> facts{
      {.name = "link", .value = link.name, .machine = true, .bytes_per_s = link.bytes_per_s},
      {.name = "nccl", .value = nccl_version()}};
  if (link.bytes_per_s > 0) {
    facts.push_back({.name = "link_peak", .value = format_bandwidth(link.bytes_per_s)});
  }
  for (LinkFact& variable : nccl_variables()) facts.push_back(std::move(variable));
  return facts;
}

const Register<DeviceFactory> kRegistered{
    {.name = "cuda",
     .count = count_devices,
     .open = [](int ordinal) -> std::unique_ptr<Device> {
       return std::make_unique<CudaDevice>(ordinal);
     },
     .lock_name = uuid_of,
     .obstacle = obstacle,
     .cores = [](int ordinal, int, int) { return cores_beside(ordinal); },
     .links = links_of}};

}  // namespace

CudaDevice::CudaDevice(int ordinal) : info_(describe(ordinal)), nvml_(info_.uuid) {
  info_.driver = nvml_.driver();
  info_.power_limit_w = nvml_.power_limit_w();
}

const DeviceInfo& CudaDevice::info() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaSetDevice(info_.ordinal), "cudaSetDevice");  // any thread may ask
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  info_.memory_free_bytes = static_cast<std::int64_t>(free);
  return info_;
}

Buffer CudaDevice::allocate(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes == 0 ? 1 : bytes),
        format("cannot allocate {} on {}", format_bytes(static_cast<double>(bytes)), info_.name));
  return {data, bytes, [](void* p) { cudaFree(p); }};
}

void CudaDevice::upload(void* device, std::span<const std::byte> host) {
  check(cudaMemcpyAsync(device, host.data(), host.size(), cudaMemcpyHostToDevice, stream()),
        "copy to the device");
  synchronise();
}

void CudaDevice::download(std::span<std::byte> host, const void* device) {
  check(cudaMemcpyAsync(host.data(), device, host.size(), cudaMemcpyDeviceToHost, stream()),
        "copy from the device");
  synchronise();
}

void CudaDevice::fill_random(void* device, std::size_t bytes, std::uint64_t seed) {
  cuda::fill_random(static_cast<std::byte*>(device), static_cast<std::int64_t>(bytes), seed,
                    stream());
}

void CudaDevice::write_rows(PoolFormat format, void* pool, const StepShape& shape,
                            std::span<const std::int64_t> device_slots, int layer,
                            std::uint64_t seed) {
  write_original_rows({format, shape, static_cast<std::byte*>(pool)}, device_slots, layer, seed,
                      stream());
}

void CudaDevice::run_layer(const Pipeline& pipeline, int layer) {
  for (const StageCall& call : pipeline) call.enqueue(layer);
}

std::unique_ptr<Executable> CudaDevice::prepare(Pipeline pipeline, const StepShape& shape,
                                                Communicator* ranks) {
  return make_executable(*this, std::move(pipeline), shape, ranks);
}

std::unique_ptr<Communicator> CudaDevice::join(Meeting& meeting, int rank) {
  return make_nccl_communicator(*this, meeting, rank);
}

double CudaDevice::copy_bandwidth() {
  if (copy_bandwidth_ == 0) copy_bandwidth_ = measure_copy_bandwidth(*this);
  return copy_bandwidth_;
}

CudaDevice& cuda_device(Device& device) {
  auto* gpu = dynamic_cast<CudaDevice*>(&device);
  if (gpu == nullptr) fail("a CUDA variant was given a device that is not a GPU");
  return *gpu;
}

}  // namespace bench::cuda
