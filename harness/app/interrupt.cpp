#include "harness/app/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace bench {
namespace {

std::atomic<bool> asked_to_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void on_signal(int) { asked_to_stop = true; }

bool install() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one has its usual effect
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  return true;
}

}  // namespace

const std::atomic<bool>& interrupted() {
  static const bool kInstalled = install();
  static_cast<void>(kInstalled);
  return asked_to_stop;
}

}  // namespace bench
