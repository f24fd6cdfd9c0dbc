#include "kernels/cpu/host_communicator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/number_formats.h"
#include "kernels/part.h"

namespace bench {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

template <typename T>
std::string bytes_of(const T* values, std::int64_t count) {
  return {reinterpret_cast<const char*>(values), at(count) * sizeof(T)};
}

template <typename T>
T value_at(const std::string& bytes, std::int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + at(index) * sizeof(T), sizeof(T));
  return value;
}

class HostCommunicator : public Communicator {
 public:
  using Communicator::Communicator;

  void all_reduce(const std::uint16_t* from, std::uint16_t* to, std::int64_t count) override {
    const std::vector<std::string> all = exchange(bytes_of(from, count));
    for (std::int64_t i = 0; i < count; ++i) {
      float sum = 0;
      for (const std::string& one : all) sum += bf16_to_float(value_at<std::uint16_t>(one, i));
      to[i] = float_to_bf16(sum);
    }
  }

  std::function<void()> merger(const Partials& partials) override {
    return [this, partials] { merge(partials); };
  }

  void align() override { exchange({}); }

 private:
  void merge(const Partials& p) {
    const std::vector<std::string> outputs = exchange(bytes_of(p.output, p.rows * p.latent));
    const std::vector<std::string> lses = exchange(bytes_of(p.lse, p.rows));
    const Share own = share_of(p.rows, rank(), size());
    std::vector<float> sum(at(p.latent));
    for (std::int64_t row = own.begin; row < own.end; ++row) {
      float top = -INFINITY;
      for (const std::string& lse : lses) top = std::max(top, value_at<float>(lse, row));
      std::ranges::fill(sum, 0.0F);
      float weights = 0;
      for (std::size_t r = 0; r < lses.size(); ++r) {
        const float weight = std::exp(value_at<float>(lses[r], row) - top);
        weights += weight;
        for (std::int64_t c = 0; c < p.latent; ++c) {
          sum[at(c)] +=
              weight * bf16_to_float(value_at<std::uint16_t>(outputs[r], row * p.latent + c));
        }
      }
      for (std::int64_t c = 0; c < p.latent; ++c) {
        p.output[row * p.latent + c] = float_to_bf16(sum[at(c)] / weights);
      }
      p.lse[row] = top + std::log(weights);
    }
  }
};

}  // namespace

std::unique_ptr<Communicator> make_host_communicator(Meeting& meeting, int rank) {
  return std::make_unique<HostCommunicator>(meeting, rank);
}

}  // namespace bench
