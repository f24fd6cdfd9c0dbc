#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/error.h"
#include "harness/units.h"

namespace bench {

// What a process throws that could not go on because another did not: no fault of its own.
class OthersLost : public Error {
 public:
  using Error::Error;
};

// The processes that make one run together, one a host: `mpirun -np N bench run ...`. They meet by
// one primitive. `bench run` itself has it from MPI, its workers through their parents.
class Hosts {
 public:
  // Of the processes on this machine it is the local_index-th of local_count.
  Hosts(int index, int count, int local_index = 0, int local_count = 1)
      : index_(index), count_(count), local_index_(local_index), local_count_(local_count) {}
  virtual ~Hosts() = default;
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  [[nodiscard]] int index() const { return index_; }  // 0: the one that stores and reports
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] int local_index() const { return local_index_; }
  [[nodiscard]] int local_count() const { return local_count_; }
  // Hands in this one's bytes and returns everyone's, in order of index, when all have come.
  // Throws OthersLost, with the reason, when one of them is lost.
  virtual std::vector<std::string> exchange(std::string mine) = 0;
  // How long an exchange may wait for the others before they are given up.
  void be_patient_for(Seconds limit) { patience_ = limit; }
  [[nodiscard]] Seconds patience() const { return patience_; }

 private:
  int index_;
  int count_;
  int local_index_;
  int local_count_;
  Seconds patience_{150};  // to start, and to look at the devices: 120 s at most
};

// A process by itself, on its share of the machine.
class Alone final : public Hosts {
 public:
  Alone() : Hosts(0, 1) {}
  explicit Alone(const Hosts& on) : Hosts(0, 1, on.local_index(), on.local_count()) {}
  std::vector<std::string> exchange(std::string mine) override { return {std::move(mine)}; }
};

}  // namespace bench
