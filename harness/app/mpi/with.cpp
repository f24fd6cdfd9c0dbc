#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <utility>

#include "harness/app/interrupt.h"
#include "harness/app/processes.h"

namespace bench {
namespace {

// Between looks at a collective: MPI itself would keep a core busy, which the measurement needs.
constexpr std::chrono::microseconds kLook{100};

void wait(MPI_Request request) {
  int done = 0;
  for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); done == 0;
       MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
    if (interrupted()) fail("interrupted");
    std::this_thread::sleep_for(kLook);
  }
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

class MpiHosts : public Hosts {
 public:
  explicit MpiHosts(const Place& at) : Hosts(at.index, at.count, at.local_index, at.local_count) {}
  MpiHosts(const MpiHosts&) = delete;
  MpiHosts& operator=(const MpiHosts&) = delete;
  ~MpiHosts() override {
    // While an error is on its way out, others may wait in a collective: end_processes() is next.
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }

  std::vector<std::string> exchange(std::string mine) override {
    const auto processes = static_cast<std::size_t>(count());
    const auto bytes = static_cast<int>(mine.size());
    std::vector<int> sizes(processes);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait(request);
    std::vector<int> offsets(processes);
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    std::string all(static_cast<std::size_t>(offsets.back() + sizes.back()), '\0');
    MPI_Iallgatherv(mine.data(), bytes, MPI_BYTE, all.data(), sizes.data(), offsets.data(),
                    MPI_BYTE, MPI_COMM_WORLD, &request);
    wait(request);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < processes; ++i) {
      parts.push_back(
          all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(sizes[i])));
    }
    return parts;
  }
};

}  // namespace

std::unique_ptr<Hosts> join_processes() {
  if (!started_by_mpi()) return std::make_unique<Alone>();
  return std::make_unique<MpiHosts>(start());
}

void end_processes(Exit exit) {
  int begun = 0;
  int ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun != 0 && ended == 0) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(exit));
}

}  // namespace bench
