#include "kernels/cuda/nccl_communicator.h"

#include <atomic>
#include <cstring>

#include "kernels/cuda/merge_partials.h"
#include "kernels/cuda/nccl.h"
#include "kernels/part.h"

namespace bench::cuda {
namespace {

constexpr int kSum = 0;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

class NcclCommunicator : public Communicator {
 public:
  NcclCommunicator(CudaDevice& device, Meeting& meeting, int rank)
      : Communicator(meeting, rank),
        nccl_(Nccl::get()),
        device_(device),
        word_(device.allocate(sizeof(float))) {
    check(cudaMemsetAsync(word_.as<void>(), 0, sizeof(float), device.stream()), "cudaMemset");
    nccl_.check(nccl_.comm_init_rank(&comm_, size(), agree_on_id(), rank), "ncclCommInitRank");
    // Connections are made by the first collectives: not while a graph is captured.
    align();
    exchange_with_all(word_.as<float>());
    device_.synchronise();
  }

  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  ~NcclCommunicator() override {
    if (comm_ != nullptr && !aborted_.exchange(true)) nccl_.comm_destroy(comm_);
  }

  void all_reduce(const std::uint16_t* from, std::uint16_t* to, std::int64_t count) override {
    nccl_.check(
        nccl_.all_reduce(from, to, at(count), Nccl::Type::bfloat16, kSum, comm_, device_.stream()),
        "ncclAllReduce");
  }

  std::function<void()> merger(const Partials& partials) override {
    const Share own = share_of(partials.rows, rank(), size());
    const auto received = std::make_shared<Received>(
        Received{.outputs = device_.allocate(at(own.count() * partials.latent * size()) * 2),
                 .lses = device_.allocate(at(own.count() * size()) * sizeof(float))});
    return [this, partials, received] { merge(partials, *received); };
  }

  void align() override {
    nccl_.check(nccl_.all_reduce(word_.as<float>(), word_.as<float>(), 1, Nccl::Type::float32, kSum,
                                 comm_, device_.stream()),
                "ncclAllReduce");
  }

  void abort() override {
    if (comm_ != nullptr && !aborted_.exchange(true)) nccl_.comm_abort(comm_);
  }

 private:
  // What every rank sent of this one's share of the rows.
  struct Received {
    Buffer outputs;  // bf16 [ranks, own rows, latent]
    Buffer lses;     // float [ranks, own rows]
  };

  Nccl::UniqueId agree_on_id() {
    Nccl::UniqueId id{};
    if (rank() == 0) nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    const std::string bytes =
        exchange(rank() == 0 ? std::string(id.bytes.data(), id.bytes.size()) : std::string())
            .front();
    std::memcpy(id.bytes.data(), bytes.data(), id.bytes.size());
    return id;
  }

  void exchange_with_all(float* word) {
    const Buffer words = device_.allocate(at(size()) * sizeof(float));
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
    for (int peer = 0; peer < size(); ++peer) {
      send(word, 1, Nccl::Type::float32, peer);
      receive(words.as<float>() + peer, 1, Nccl::Type::float32, peer);
    }
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
    device_.synchronise();
  }

  void merge(const Partials& p, const Received& received) {
    const Share own = share_of(p.rows, rank(), size());
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
    for (int peer = 0; peer < size(); ++peer) {
      const Share theirs = share_of(p.rows, peer, size());
      send(p.output + theirs.begin * p.latent, theirs.count() * p.latent, Nccl::Type::bfloat16,
           peer);
      send(p.lse + theirs.begin, theirs.count(), Nccl::Type::float32, peer);
      receive(received.outputs.as<std::uint16_t>() + peer * own.count() * p.latent,
              own.count() * p.latent, Nccl::Type::bfloat16, peer);
      receive(received.lses.as<float>() + peer * own.count(), own.count(), Nccl::Type::float32,
              peer);
    }
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
    merge_partials({.outputs = received.outputs.as<std::uint16_t>(),
                    .lses = received.lses.as<float>(),
                    .parts = size(),
                    .rows = own.count(),
                    .latent = p.latent,
                    .output = p.output + own.begin * p.latent,
                    .lse = p.lse + own.begin},
                   device_.stream());
  }

  void send(const void* from, std::int64_t count, Nccl::Type type, int peer) {
    nccl_.check(nccl_.send(from, at(count), type, peer, comm_, device_.stream()), "ncclSend");
  }
  void receive(void* to, std::int64_t count, Nccl::Type type, int peer) {
    nccl_.check(nccl_.receive(to, at(count), type, peer, comm_, device_.stream()), "ncclRecv");
  }

  const Nccl& nccl_;
  CudaDevice& device_;
  Buffer word_;  // one float, for collectives without a content
  Nccl::Comm comm_ = nullptr;
  std::atomic<bool> aborted_{false};
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(CudaDevice& device, Meeting& meeting,
                                                     int rank) {
  return std::make_unique<NcclCommunicator>(device, meeting, rank);
}

}  // namespace bench::cuda
