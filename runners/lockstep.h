#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/hosts.h"
#include "runners/protocol.h"

namespace bench {

// The parents of one job's workers on all hosts, kept in step: what one worker hands in meets what
// the others do, and when one has ended, all end and begin anew with the cases that are left.
class Lockstep {
 public:
  explicit Lockstep(Hosts& hosts) : hosts_(hosts) {}

  // For a worker that hands in bytes. Lost when another host's worker has ended meanwhile.
  MeetingReply meet(const std::string& bytes);

  // The worker here has ended, with those cases done; `reason` where it was not to. Waits until
  // every host's has. Returns the cases done anywhere, each with the reason of the host that lost
  // it.
  std::map<std::string, std::string> end(const std::string& reason,
                                         const std::set<std::string>& done);

 private:
  Hosts& hosts_;
};

}  // namespace bench
