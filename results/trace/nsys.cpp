#include <map>

#include "harness/error.h"
#include "results/database.h"
#include "results/trace/read_trace.h"
#include "results/trace/trace_builder.h"

namespace bench {
namespace {

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

const std::string& text_of(const Strings& strings, std::int64_t id) {
  static const std::string kUnknown = "?";
  const auto found = strings.find(id);
  return found == strings.end() ? kUnknown : found->second;
}

// The columns that every table of activities and calls begins with here.
TraceEvent event_of(const Statement& row, EventKind kind) {
  TraceEvent event;
  event.kind = kind;
  event.start_ns = row.integer(0);
  event.duration_ns = row.integer(1) - row.integer(0);
  event.has_time = true;
  event.correlation = row.integer(2);
  return event;
}

void add_kernels(Database& database, const Strings& strings, TraceBuilder& builder) {
  auto rows = database.prepare(
      "SELECT start, end, correlationId, deviceId, streamId, demangledName, gridX, gridY, gridZ, "
      "blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL");
  while (rows.step()) {
    TraceEvent event = event_of(rows, EventKind::kernel);
    event.device = rows.integer(3);
    event.stream = rows.integer(4);
    event.name = text_of(strings, rows.integer(5));
    event.grid = {rows.integer(6), rows.integer(7), rows.integer(8)};
    event.block = {rows.integer(9), rows.integer(10), rows.integer(11)};
    builder.add(event);
  }
}

// Graphs recorded as a whole (--cuda-graph-trace=graph, the default).
void add_graphs(Database& database, TraceBuilder& builder) {
  auto rows = database.prepare(
      "SELECT start, end, correlationId, deviceId, streamId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  while (rows.step()) {
    TraceEvent event = event_of(rows, EventKind::kernel);
    event.device = rows.integer(3);
    event.stream = rows.integer(4);
    event.name = "CUDA graph, recorded as a whole";
    builder.add(event);
  }
}

std::string_view copy_name(std::int64_t kind) {
  if (kind == 1) return "Memcpy HtoD";
  if (kind == 2) return "Memcpy DtoH";
  if (kind == 8) return "Memcpy DtoD";
  return kind == 10 ? "Memcpy PtoP" : "Memcpy";
}

void add_copies(Database& database, TraceBuilder& builder) {
  auto rows = database.prepare(
      "SELECT start, end, correlationId, deviceId, streamId, bytes, copyKind FROM "
      "CUPTI_ACTIVITY_KIND_MEMCPY");
  while (rows.step()) {
    TraceEvent event = event_of(rows, EventKind::memcpy);
    event.device = rows.integer(3);
    event.stream = rows.integer(4);
    event.bytes = rows.integer(5);
    event.name = copy_name(rows.integer(6));
    builder.add(event);
  }
}

void add_fills(Database& database, TraceBuilder& builder) {
  auto rows = database.prepare(
      "SELECT start, end, correlationId, deviceId, streamId, bytes FROM "
      "CUPTI_ACTIVITY_KIND_MEMSET");
  while (rows.step()) {
    TraceEvent event = event_of(rows, EventKind::memset);
    event.device = rows.integer(3);
    event.stream = rows.integer(4);
    event.bytes = rows.integer(5);
    event.name = "Memset";
    builder.add(event);
  }
}

void add_calls(Database& database, const Strings& strings, TraceBuilder& builder) {
  auto rows =
      database.prepare("SELECT start, end, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  while (rows.step()) {
    TraceEvent event = event_of(rows, EventKind::runtime);
    event.name = text_of(strings, rows.integer(3));
    builder.add(event);
  }
}

void add_ranges(Database& database, const Strings& strings, TraceBuilder& builder) {
  auto rows = database.prepare(
      "SELECT start, end, globalTid, coalesce(text, ''), coalesce(textId, -1) FROM NVTX_EVENTS "
      "WHERE end IS NOT NULL");
  while (rows.step()) {
    TraceEvent event = event_of(rows, EventKind::annotation);
    const std::string thread = rows.text(2);
    const std::string text =
        rows.text(3).empty() ? text_of(strings, rows.integer(4)) : rows.text(3);
    event.thread = thread;
    event.name = text;
    builder.add(event);
  }
}

}  // namespace

Trace read_nsys(const std::string& path) {
  Database database(path, Access::read);
  if (!has_table(database, "StringIds")) {
    fail_usage(path + " is an SQLite file, but not Nsight Systems' export (no table StringIds)");
  }
  const Strings strings = read_strings(database);
  const auto has = [&](const char* name) { return has_table(database, name); };
  TraceBuilder builder;
  builder.trace().path = path;
  if (has("CUPTI_ACTIVITY_KIND_KERNEL")) add_kernels(database, strings, builder);
  if (has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE")) add_graphs(database, builder);
  if (has("CUPTI_ACTIVITY_KIND_MEMCPY")) add_copies(database, builder);
  if (has("CUPTI_ACTIVITY_KIND_MEMSET")) add_fills(database, builder);
  if (has("CUPTI_ACTIVITY_KIND_RUNTIME")) add_calls(database, strings, builder);
  if (has("NVTX_EVENTS")) add_ranges(database, strings, builder);
  if (has("TARGET_INFO_GPU")) {
    auto rows = database.prepare("SELECT name FROM TARGET_INFO_GPU");
    if (rows.step()) builder.trace().device_name = rows.text(0);
  }
  Trace trace = builder.take();
  trace.events =
      std::ssize(trace.activities) + std::ssize(trace.launches) + std::ssize(trace.ranges);
  return trace;
}

}  // namespace bench
