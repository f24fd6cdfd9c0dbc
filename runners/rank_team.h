#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/communicator.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace bench {

// One rank of a step: a device and what it holds. Its own thread alone speaks to it.
struct Rank {
  int number = 0;  // of all hosts' ranks
  std::unique_ptr<Device> device{};
  std::unique_ptr<PoolCache> pools{};
  std::unique_ptr<Communicator> communicator{};  // nullptr: it is the only one

  [[nodiscard]] std::string name() const;  // "rank 1 (NVIDIA H200, GPU-1234)"
};

// Devices of this process that measure together, a thread each, and through `hosts` those of other
// processes. One device alone is driven by the calling thread.
class RankTeam {
 public:
  // Opens the devices and joins them. A rank that takes longer than `deadline` over anything that
  // each() asks is taken for hung.
  RankTeam(const DeviceFactory& factory, const std::vector<int>& ordinals, Hosts& hosts,
           Seconds deadline);
  ~RankTeam();
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

  [[nodiscard]] int size() const;   // ranks of all hosts
  [[nodiscard]] int first() const;  // the first of this process
  [[nodiscard]] int local() const;
  Rank& rank(int local_index);

  // Runs work(rank) on every rank's thread and returns when all are done. When one fails or hangs,
  // the collectives of all are ended; the error names that rank, and the team is of no use
  // afterwards: this process should end.
  void each(const std::function<void(Rank&)>& work);

 private:
  struct State;
  static void serve(const std::shared_ptr<State>& state, int index);
  [[noreturn]] void give_up(bool timed_out);

  std::shared_ptr<State> state_;  // threads that hang keep it
};

}  // namespace bench
