#pragma once

#include <sys/types.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace bench {

// A server under test: started, waited for, proven to be what answers, and stopped with everything
// it has started. A guard process stops it too when this process dies, whatever kills it.
class ManagedServer {
 public:
  // `guard`: the command of a guard (guard.h). ${VAR} in the server's texts is expanded here.
  // Throws Error, with the last lines of the log, when it does not become ready: it ended, its
  // deadline passed, `stop` became true, or something else answers in its place.
  ManagedServer(const Server& server, const std::vector<std::string>& guard, std::string log,
                const std::atomic<bool>& stop);
  ~ManagedServer();
  ManagedServer(const ManagedServer&) = delete;
  ManagedServer& operator=(const ManagedServer&) = delete;

  [[nodiscard]] std::string endpoint() const { return server_.endpoint(); }
  // How it ended if it ended by itself, with the last lines of its log; empty: it runs.
  std::string died();
  // Ends it and waits until it is gone and the GPUs are as free as before; Error if they are not.
  void stop();

 private:
  void start(const std::vector<std::string>& guard);
  void wait_until_ready(const std::atomic<bool>& stop);
  void require_nobody() const;
  void prove() const;
  void require_free_gpus() const;
  void close_guard();
  std::string read_line(int limit_ms);
  [[nodiscard]] std::string with_log(const std::string& what) const;

  Server server_;  // its texts expanded
  std::string log_;
  std::map<std::string, double> gpus_before_;  // UUID -> bytes in use
  int socket_ = -1;
  pid_t guard_ = -1;
  std::string pending_;
  std::string ended_;
};

}  // namespace bench
