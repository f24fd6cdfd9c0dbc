#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/hosts.h"
#include "results/result.h"
#include "runners/protocol.h"

namespace bench {

// How a worker lost the case it was at.
struct Loss {
  std::string case_id;  // empty: it lost none
  Status status = Status::failed;
  std::string reason;
  bool others = false;  // through no fault of its own (OthersLost)
};

// The parents of one job's workers on all hosts, kept in step: what one worker hands in meets what
// the others do, and when one has ended, all end and begin anew with the cases that are left.
class Lockstep {
 public:
  explicit Lockstep(Hosts& hosts) : hosts_(hosts) {}

  // For a worker that hands in bytes. Lost when another host's worker has ended meanwhile.
  MeetingReply meet(const std::string& bytes);

  // The worker here has ended, with those cases done, and perhaps one lost. Waits until every
  // host's has. Tells of the cases that are over anywhere; those not done here are lost with the
  // status and reason of the processes that were the cause, the same on all.
  struct Over {
    Status status = Status::failed;
    std::string reason;
    std::set<std::string> case_ids;
  };
  Over end(const Loss& loss, const std::set<std::string>& done);

 private:
  Hosts& hosts_;
};

}  // namespace bench
