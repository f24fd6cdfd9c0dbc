#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "harness/app/interrupt.h"
#include "harness/app/processes.h"
#include "harness/format.h"
#include "results/environment.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTag = 1;

// Looks again and again until done(). MPI's own waiting would keep a core busy, which the
// measurement needs, and has no end when another process is stopped. False: it took too long.
template <typename Done>
bool wait_until(const Done& done, Seconds limit) {
  constexpr std::chrono::microseconds kLook{100};
  const auto start = Clock::now();
  while (!done()) {
    if (interrupted()) fail("interrupted");
    if (Clock::now() - start > limit) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

struct Place {
  int index = 0;
  int count = 1;
  int local_index = 0;
  int local_count = 1;
};

Place start() {
  MPI_Init(nullptr, nullptr);
  Place at;
  MPI_Comm_rank(MPI_COMM_WORLD, &at.index);
  MPI_Comm_size(MPI_COMM_WORLD, &at.count);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, at.index, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &at.local_index);
  MPI_Comm_size(machine, &at.local_count);
  MPI_Comm_free(&machine);
  return at;
}

// Every exchange goes through process 0, which so knows who has not come.
class MpiHosts : public Hosts {
 public:
  explicit MpiHosts(const Place& at) : Hosts(at.index, at.count, at.local_index, at.local_count) {
    machines_ = MpiHosts::exchange(host_name());
  }
  MpiHosts(const MpiHosts&) = delete;
  MpiHosts& operator=(const MpiHosts&) = delete;
  ~MpiHosts() override { MPI_Finalize(); }

  std::vector<std::string> exchange(std::string mine) override {
    std::vector<std::string> parts(static_cast<std::size_t>(count()));
    std::vector<std::int64_t> sizes(parts.size());
    std::string all;
    if (index() == 0) {
      parts.front() = std::move(mine);
      collect(parts);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        sizes[i] = static_cast<std::int64_t>(parts[i].size());
        all += parts[i];
      }
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, kTag, MPI_COMM_WORLD,
                &request);
      wait_for_first(request);
    }
    broadcast(sizes.data(), sizes.size() * sizeof(sizes[0]));
    std::size_t length = 0;
    for (const std::int64_t size : sizes) length += static_cast<std::size_t>(size);
    all.resize(length);
    broadcast(all.data(), length);
    if (index() == 0) return parts;
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] = all.substr(at, static_cast<std::size_t>(sizes[i]));
      at += parts[i].size();
    }
    return parts;
  }

 private:
  void collect(std::vector<std::string>& parts) const {
    std::vector<bool> here(parts.size());
    here.front() = true;
    for (std::size_t missing = parts.size() - 1; missing > 0; --missing) {
      int came = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      const auto look = [&] {
        MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &came, &message, &status);
        return came != 0;
      };
      if (!wait_until(look, patience())) give_up(here);
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const auto from = static_cast<std::size_t>(status.MPI_SOURCE);
      parts[from].resize(static_cast<std::size_t>(bytes));
      MPI_Mrecv(parts[from].data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      here[from] = true;
    }
  }

  [[noreturn]] void give_up(const std::vector<bool>& here) const {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!here[i]) missing.push_back(name_of(i));
    }
    throw OthersLost(format("{} did not come within {}: stopped, or its machine is out of reach",
                            join(missing, ", "), format_seconds(patience())));
  }

  void broadcast(void* data, std::size_t bytes) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_for_first(request);
  }

  // The first process gives up before the others do: it alone knows for whom all wait.
  void wait_for_first(MPI_Request request) const {
    const Seconds limit = 1.25 * patience() + Seconds(5);
    int done = 0;
    const auto look = [&] {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    };
    if (wait_until(look, limit)) return;
    throw OthersLost(format("{} did not answer within {}", name_of(0), format_seconds(limit)));
  }

  [[nodiscard]] std::string name_of(std::size_t process) const {
    if (process >= machines_.size()) return format("process {}", process);
    return format("process {} on {}", process, machines_[process]);
  }

  std::vector<std::string> machines_;  // of the processes; empty: not asked yet
};

}  // namespace

std::unique_ptr<Hosts> join_processes() {
  if (!started_by_mpi()) return std::make_unique<Alone>();
  return std::make_unique<MpiHosts>(start());
}

void end_processes(Exit exit) { MPI_Abort(MPI_COMM_WORLD, static_cast<int>(exit)); }

}  // namespace bench
