#include "results/json_writer.h"
#include "results/trace/trace_export.h"

namespace bench {
namespace {

void write_steps(JsonWriter& json, const TraceAnalysis& a) {
  json.key("steps").begin_array();
  for (const TraceStep& s : a.steps) {
    json.new_line().begin_object();
    json.member("name", s.name).member("kind", s.kind == StepKind::decode ? "decode" : "prefill");
    json.member("duration_ns", s.duration_ns).member("busy_ns", s.busy_ns);
    json.member("idle_ns", s.idle_ns()).member("host_ns", s.host_ns);
    json.member("overlap_ns", s.sum_ns - s.busy_ns).member("activities", s.activities);
    json.member("tokens", s.tokens).end_object();
  }
  json.end_array();
}

void write_categories(JsonWriter& json, const TraceAnalysis& a) {
  json.new_line().key("categories").begin_object();
  for (std::size_t i = 0; i < kCategories; ++i) {
    json.new_line().key(id_of(static_cast<Category>(i))).begin_object();
    json.member("step_s", a.categories.at(i).seconds)
        .member("step_bytes", a.categories.at(i).bytes);
    json.member("total_s", a.categories.at(i).total_s).end_object();
  }
  json.end_object();
}

void write_layers(JsonWriter& json, const TraceAnalysis& a) {
  json.new_line().key("layers").begin_object().member("count", a.layers.count);
  json.member("median_s", a.layers.median_s);
  json.member("seconds", std::span<const double>(a.layers.seconds));
  json.key("outliers").begin_array();
  for (const OutlierLayer& o : a.layers.outliers) {
    json.begin_object().member("layer", o.layer).member("seconds", o.seconds).end_object();
  }
  json.end_array().end_object();
}

void write_ways(JsonWriter& json, const Waste& w) {
  json.key("ways_out").begin_array();
  for (const WayOut& way : w.ways) {
    json.begin_object().member("variant", way.variant).member("instead_s", way.instead_s);
    json.member("saved_s", way.saved_s).member("pool_bytes", way.pool_bytes);
    json.member("basis", way.basis).end_object();
  }
  json.end_array();
}

void write_waste(JsonWriter& json, const TraceAnalysis& a) {
  json.new_line().key("waste").begin_array();
  for (const Waste& w : a.waste) {
    json.new_line().begin_object().member("pool_tokens", w.pool_tokens).member("width", w.width);
    json.member("layers", w.layers).member("from", w.from).member("to", w.to);
    json.member("inferred", w.inferred).member("step_s", w.seconds).member("share", w.share);
    json.member("read_bytes", w.read_bytes).member("written_bytes", w.written_bytes);
    json.member("step_bytes", w.bytes_a_step()).member("active_tokens", w.active_tokens);
    json.member("amplification", w.amplification());
    write_ways(json, w);
    json.end_object();
  }
  json.end_array();
}

void write_kernels(JsonWriter& json, const TraceAnalysis& a) {
  json.new_line().key("kernels").begin_array();
  for (const KernelRow& row : a.rows) {
    json.new_line().begin_object().member("name", row.name).member("operator", row.op);
    json.member("category", id_of(row.category)).member("step_count", row.count);
    json.member("step_s", row.seconds).member("share", row.share);
    json.member("bytes", row.work.bytes()).member("inferred", row.work.inferred);
    for (const auto& [name, three] :
         {std::pair{"grid", row.shape.grid}, {"block", row.shape.block}}) {
      json.key(name).begin_array().value(three[0]).value(three[1]).value(three[2]).end_array();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string trace_json(const TraceAnalysis& a) {
  JsonWriter json;
  json.begin_object().member("schema_version", 1).member("trace", a.path);
  json.member("device", a.device_name).member("rank", a.rank).member("world_size", a.world_size);
  json.member("bytes", a.bytes).member("events", a.events).member("kernels_total", a.kernels);
  json.member("outside_steps", a.outside).member("damage", a.damage).member("method", a.method);
  json.member("left_out", a.left_out).member("note", a.note);
  json.new_line().member("step_s", a.step_s).member("busy_s", a.busy_s).member("idle_s", a.idle_s);
  json.member("host_s", a.host_s).member("overlap_s", a.overlap_s);
  json.member("peak_bytes_per_s", a.peak_bytes_per_s).new_line();
  write_steps(json, a);
  write_categories(json, a);
  write_layers(json, a);
  write_waste(json, a);
  write_kernels(json, a);
  return json.new_line().end_object().take() + "\n";
}

}  // namespace bench
