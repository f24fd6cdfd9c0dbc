// Nsight Systems' SQLite export; its tables are described in the export schema of its user guide.
#include <map>
#include <utility>

#include "harness/error.h"
#include "harness/format.h"
#include "results/database.h"
#include "results/trace/read_trace.h"
#include "results/trace/trace_builder.h"

namespace bench {
namespace {

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr const char* kProcess = "/ 16777216";  // of a globalPid or globalTid: bits 24 and above

bool has_table(Database& database, const std::string& name) {
  auto find =
      database.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1");
  find.bind(name);
  return find.step() && find.integer(0) > 0;
}

using Strings = std::map<std::int64_t, std::string>;

Strings read_strings(Database& database) {
  Strings strings;
  auto rows = database.prepare("SELECT id, value FROM StringIds");
  while (rows.step()) strings.emplace(rows.integer(0), rows.text(1));
  return strings;
}

// One process of the export: correlations are numbers of one process, and a server has a process a
// rank.
class Reading {
 public:
  Reading(Database& database, std::int64_t process)
      : database_(database), process_(process), strings_(read_strings(database)) {}

  TraceBuilder builder;

  // Each row as an event: start, end, correlationId and then `columns`, of the process that `owner`
  // names. set(event, row) fills the event from column 3 on.
  template <typename Set>
  void add(const char* table, const std::string& columns, const char* owner, Set set) {
    if (!has_table(database_, table)) return;
    auto rows = database_.prepare(
        format("SELECT start, end, {} FROM {} WHERE end IS NOT NULL AND {} {} = ?1", columns, table,
               owner, kProcess));
    for (rows.bind(process_); rows.step();) {
      TraceEvent event;
      event.start_ns = rows.integer(0);
      event.duration_ns = rows.integer(1) - rows.integer(0);
      event.has_time = true;
      event.correlation = rows.integer(2);
      set(event, rows);
      builder.add(event);
    }
  }

  [[nodiscard]] const std::string& text(std::int64_t id) const {
    static const std::string kUnknown = "?";
    const auto found = strings_.find(id);
    return found == strings_.end() ? kUnknown : found->second;
  }

 private:
  Database& database_;
  std::int64_t process_;
  Strings strings_;
};

constexpr const char* kOnDevice = "correlationId, deviceId, streamId";

void set_device(TraceEvent& event, TraceEventKind kind, const Statement& row) {
  event.kind = kind;
  event.device = row.integer(3);
  event.stream = row.integer(4);
}

void add_kernels(Reading& reading) {
  reading.add(kKernels,
              format("{}, demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ", kOnDevice),
              "globalPid", [&](TraceEvent& event, const Statement& row) {
                set_device(event, TraceEventKind::kernel, row);
                event.name = reading.text(row.integer(5));
                event.grid = {row.integer(6), row.integer(7), row.integer(8)};
                event.block = {row.integer(9), row.integer(10), row.integer(11)};
              });
}

// Graphs recorded as a whole (--cuda-graph-trace=graph, the default).
void add_graphs(Reading& reading) {
  reading.add(kGraphs, kOnDevice, "globalPid", [](TraceEvent& event, const Statement& row) {
    set_device(event, TraceEventKind::kernel, row);
    event.name = "CUDA graph, recorded as a whole";
  });
}

std::string_view copy_name(std::int64_t kind) {
  if (kind == 1) return "Memcpy HtoD";
  if (kind == 2) return "Memcpy DtoH";
  if (kind == 8) return "Memcpy DtoD";
  return kind == 10 ? "Memcpy PtoP" : "Memcpy";
}

void add_transfers(Reading& reading) {
  reading.add("CUPTI_ACTIVITY_KIND_MEMCPY", format("{}, bytes, copyKind", kOnDevice), "globalPid",
              [](TraceEvent& event, const Statement& row) {
                set_device(event, TraceEventKind::memcpy, row);
                event.bytes = row.integer(5);
                event.name = copy_name(row.integer(6));
              });
  reading.add("CUPTI_ACTIVITY_KIND_MEMSET", format("{}, bytes", kOnDevice), "globalPid",
              [](TraceEvent& event, const Statement& row) {
                set_device(event, TraceEventKind::memset, row);
                event.bytes = row.integer(5);
                event.name = "Memset";
              });
}

void add_host(Reading& reading) {
  reading.add("CUPTI_ACTIVITY_KIND_RUNTIME", "correlationId, nameId", "globalTid",
              [&](TraceEvent& event, const Statement& row) {
                event.kind = TraceEventKind::runtime;
                event.name = reading.text(row.integer(3));
              });
  std::string thread, name;  // outlive the event
  reading.add("NVTX_EVENTS", "0, globalTid, coalesce(text, ''), coalesce(textId, -1)", "globalTid",
              [&](TraceEvent& event, const Statement& row) {
                event.kind = TraceEventKind::annotation;
                event.thread = thread = row.text(3);
                event.name = name =
                    row.text(4).empty() ? reading.text(row.integer(5)) : row.text(4);
              });
}

struct Processes {
  std::int64_t busiest = 0;
  std::int64_t other_devices = 0;  // of the others, one each
};

Processes processes_of(Database& database) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> time;  // of process and device
  for (const char* table : {kKernels, kGraphs}) {
    if (!has_table(database, table)) continue;
    auto rows = database.prepare(format(
        "SELECT globalPid {}, deviceId, sum(end - start) FROM {} GROUP BY 1, 2", kProcess, table));
    while (rows.step()) time[{rows.integer(0), rows.integer(1)}] += rows.integer(2);
  }
  Processes found;
  std::int64_t most = -1;
  for (const auto& [key, ns] : time) {
    if (std::exchange(most, std::max(most, ns)) < ns) found.busiest = key.first;
  }
  for (const auto& [key, ns] : time) found.other_devices += key.first != found.busiest ? 1 : 0;
  return found;
}

Trace read_export(const std::string& path) {
  Database database(path, Access::read);
  if (!has_table(database, "StringIds")) {
    fail_usage(path + " is an SQLite file, but not Nsight Systems' export (no table StringIds)");
  }
  const Processes processes = processes_of(database);
  Reading reading(database, processes.busiest);
  add_kernels(reading);
  add_graphs(reading);
  add_transfers(reading);
  add_host(reading);
  Trace trace = reading.builder.take();
  trace.path = path;
  trace.other_devices = processes.other_devices;
  if (has_table(database, kGraphs)) {
    trace.note = "CUDA graphs were recorded as a whole: nsys --cuda-graph-trace=node shows kernels";
  }
  if (has_table(database, "TARGET_INFO_GPU")) {
    auto rows = database.prepare("SELECT name FROM TARGET_INFO_GPU ORDER BY id");
    if (rows.step()) trace.device_name = rows.text(0);
  }
  trace.events =
      std::ssize(trace.activities) + std::ssize(trace.launches) + std::ssize(trace.ranges);
  return trace;
}

}  // namespace

Trace read_nsys(const std::string& path) {
  try {
    return read_export(path);
  } catch (const Error& error) {
    if (error.exit() == Exit::usage) throw;
    const std::string why = error.what();  // behind the ; is advice on databases of bench
    fail_usage(
        format("{}: write it again with nsys export --type sqlite", why.substr(0, why.find(';'))));
  }
}

}  // namespace bench
