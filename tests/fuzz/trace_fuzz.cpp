// Whatever a trace holds, reading and analysing it ends, and its events are the same however it is
// cut. The first byte of the input says where to cut.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/error.h"
#include "results/trace/analysis.h"
#include "results/trace/event_walker.h"
#include "results/trace/read_trace.h"
#include "results/trace/trace_export.h"

namespace {

using bench::EventWalker;

// Names of the events found, each piece starting where the one before stood.
std::string walk(std::string_view bytes, std::size_t piece) {
  std::string names;
  EventWalker walker;
  std::size_t end = piece;
  while (true) {
    const std::string_view part = bytes.substr(0, end);
    const std::vector<char> exact(part.begin(), part.end());
    walker.start({exact.data(), exact.size()});
    bench::TraceEvent event;
    auto found = walker.next(event);
    for (; found == EventWalker::Found::event || found == EventWalker::Found::passed_over;
         found = walker.next(event)) {
      names += found == EventWalker::Found::event ? std::string(event.name) + "\x01" : "\x02";
    }
    if (found != EventWalker::Found::more_needed || end >= bytes.size()) return names;
    bytes.remove_prefix(walker.consumed());
    end = part.size() - walker.consumed() + piece;
  }
}

// A file in memory that holds what was written last.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("trace", 0)) {}
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void write(std::string_view bytes) const {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) != size) {
      std::abort();
    }
  }

 private:
  int file_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view events = bytes.substr(std::min(bytes.find('[') + 1, bytes.size()));
  if (walk(events, data[0] + std::size_t{1}) != walk(events, bytes.size() + 1)) std::abort();
  static const MemoryFile file;
  file.write(bytes);
  try {
    const bench::TraceAnalysis analysis = bench::analyse(bench::read_kineto(file.path()), {});
    if (bench::trace_json(analysis).empty()) std::abort();
    if (!analysis.waste.empty()) bench::trace_workload(analysis, "glm5");
  } catch (const bench::Error& error) {
    if (error.exit() != bench::Exit::usage) std::abort();
  }
  return 0;
}
