#include "harness/error.h"
#include "results/json.h"
#include "results/trace/byte_source.h"
#include "results/trace/event_reader.h"
#include "results/trace/read_trace.h"
#include "results/trace/trace_builder.h"

namespace bench {
namespace {

class Kineto : public TraceHandler {
 public:
  explicit Kineto(const std::string& path) { builder.trace().path = path; }

  void on_event(const TraceEvent& event) override { builder.add(event); }

  // What these members say is a help and no need: a broken one is passed over.
  void on_member(std::string_view name, std::string_view value) override {
    if (name != "deviceProperties" && name != "distributedInfo") return;
    try {
      const Json json = Json::parse(value, builder.trace().path);
      if (name == "distributedInfo") {
        builder.trace().rank = json.count_or("rank", -1);
        builder.trace().world_size = json.count_or("world_size", 0);
      } else if (const auto devices = json.items(); !devices.empty()) {
        builder.trace().device_name = devices.front().text_or("name", "");
      }
    } catch (const Error&) {
      return;
    }
  }

  TraceBuilder builder;
};

}  // namespace

Trace read_kineto(const std::string& path) {
  ByteSource source(path);
  Kineto kineto(path);
  const EventsRead read = read_events(source, path, kineto);
  Trace trace = kineto.builder.take();
  trace.bytes = read.bytes;
  trace.events = read.events;
  trace.damage = read.damage;
  return trace;
}

}  // namespace bench
