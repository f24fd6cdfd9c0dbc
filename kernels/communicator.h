#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/meeting.h"

namespace bench {

// One rank's attention over its part of the tokens (context parallel). Device memory.
struct Partials {
  std::uint16_t* output;  // bf16 [rows, latent], of the rank's own tokens
  float* lse;             // natural log [rows]
  std::int64_t rows;
  std::int64_t latent;
};

// One rank's end of the collectives. All ranks call the same in the same order. Device operations
// are enqueued as stages are (device.h): they neither allocate nor wait, and may be captured.
class Communicator {
 public:
  Communicator(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return meeting_.size(); }
  // On the host, now: everyone's bytes in order of rank; whether all say so.
  std::vector<std::string> exchange(std::string mine) {
    return meeting_.exchange(rank_, std::move(mine));
  }
  bool all(bool mine);

  // to[i] = the sum over all ranks of from[i], in BF16. `to` is not `from`.
  virtual void all_reduce(const std::uint16_t* from, std::uint16_t* to, std::int64_t count) = 0;
  // A call that merges the ranks' partials by their LSEs: rows share_of(rows, rank, size) of output
  // and lse become those of all tokens, the other rows are left as they are. Allocates when asked.
  virtual std::function<void()> merger(const Partials& partials) = 0;
  // Nothing enqueued after it starts before every rank has come to it.
  virtual void align() = 0;
  // Ends all collectives under way, so that nobody waits for a rank that will not come. From any
  // thread; the communicator is of no use afterwards.
  virtual void abort() {}

 private:
  Meeting& meeting_;
  int rank_;
};

}  // namespace bench
