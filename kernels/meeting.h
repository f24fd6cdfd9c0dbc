#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "harness/error.h"
#include "harness/hosts.h"

namespace bench {

// What a rank throws that had to leave a collective because another failed.
class Aborted : public Error {
 public:
  Aborted() : Error("left because another rank failed") {}
};

// Where the ranks of a step meet on the host, each a thread of this process or of another host's.
// All must come to every exchange, in the same order.
class Meeting {
 public:
  // `local` ranks in this process; asks the other hosts for theirs.
  Meeting(Hosts& hosts, int local);

  [[nodiscard]] int size() const { return size_; }    // ranks of all hosts
  [[nodiscard]] int first() const { return first_; }  // rank of this process's first
  [[nodiscard]] int local() const { return static_cast<int>(parts_.size()); }

  // Everyone's bytes in order of rank. Throws Aborted after abort().
  std::vector<std::string> exchange(int rank, std::string mine);
  // Lets all who wait here, and all who come, throw. From any thread.
  void abort();
  // Whether all ranks here have come, and wait for those of other hosts.
  [[nodiscard]] bool waits_for_hosts();

 private:
  void meet_hosts(std::unique_lock<std::mutex>& lock);

  Hosts& hosts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> parts_;   // of this process's ranks, as they come
  std::vector<std::string> result_;  // of the last meeting
  int size_ = 0;
  int first_ = 0;
  int arrived_ = 0;
  long round_ = 0;
  bool aborted_ = false;
  bool waits_for_hosts_ = false;
};

}  // namespace bench
