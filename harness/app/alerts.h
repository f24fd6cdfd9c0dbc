#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/nights.h"
#include "workloads/workload.h"

namespace bench {

// Sends one message to one receiver; throws Error that says why it could not be sent, without the
// receiver's secrets. A command gets the message on standard input; a webhook a POST; a file is
// appended to; mail goes to the local sendmail.
void send(const Receiver& receiver, const Alert& message);

// One message for each receiver of the plan.
std::vector<Alert> messages_to(const Plan& plan, const Alert& message);

// Sends what the outbox of the plan's configuration holds, oldest first. What cannot be sent is
// kept for the next time; what is for a receiver that the plan no longer has is dropped.
struct Delivery {
  std::int64_t sent = 0;
  std::vector<std::string> problems;  // a line for each message that is kept or dropped
};
Delivery deliver(Store& store, const Plan& plan, double now_unix_s);

}  // namespace bench
