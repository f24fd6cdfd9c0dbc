#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "harness/error.h"
#include "harness/format.h"
#include "results/import.h"
#include "results/import_builder.h"
#include "results/json.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// Summaries that have a row in metric_table(); any other number keeps its tag as its name.
const std::map<std::string, std::string> kMetricOfTag{
    {"nv/cold/time/gpu/mean", "gpu_time_s"},
    {"nv/cold/time/cpu/mean", "cpu_time_s"},
    {"nv/batch/time/gpu/mean", "batch_gpu_time_s"},
    {"nv/cold/bw/global/bytes_per_second", "bytes_per_s"},
    {"nv/cold/bw/item_rate", "items_per_s"},
};
constexpr std::string_view kTimes = "nv/json/bin:nv/cold/sample_times";
constexpr std::string_view kClocks = "nv/json/freqs-bin:nv/cold/sample_freqs";

// nvbench writes numbers as texts.
double number_of(const Json& value) {
  return value.is_text() ? number_in(value.text()) : value.number();
}

std::optional<Json> datum(const Json& summary, std::string_view name) {
  for (const auto& item : summary.at("data").items()) {
    if (item.at("name").text() == name) return item.find("value");
  }
  return std::nullopt;
}

// Little-endian float32, in a file named relative to the JSON or to the folder above it.
std::vector<double> read_sidecar(const std::string& json_path, const std::string& name) {
  const fs::path folder = fs::absolute(json_path).parent_path();
  for (const fs::path& candidate :
       {folder / name, folder.parent_path() / name, folder / fs::path(name).filename()}) {
    std::ifstream file(candidate, std::ios::binary);
    if (!file || fs::is_directory(candidate)) continue;
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<double> values;
    for (std::size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      values.push_back(value);
    }
    return values;
  }
  return {};
}

void read_samples(ImportBuilder& builder, Measurement& m, const Json& summary,
                  const std::string& path) {
  const auto name = datum(summary, "filename");
  if (!name) return;
  auto values = read_sidecar(path, name->text());
  const bool finite =
      std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  if (values.empty() || !finite) {
    builder.leave_out(name->text(),
                      values.empty() ? "was not found" : "holds a number that is not finite");
    return;
  }
  (summary.at("tag").text() == kTimes ? m.samples_s : m.sample_clock_hz) = std::move(values);
}

void add_summary(ImportBuilder& builder, Measurement& m, const Json& summary,
                 const std::string& path) {
  const std::string tag = summary.at("tag").text();
  if (tag == kTimes || tag == kClocks) return read_samples(builder, m, summary, path);
  const auto value = datum(summary, "value");
  if (!value) return;
  const double number = number_of(*value);
  const auto known = kMetricOfTag.find(tag);
  if (std::isfinite(number)) {
    m.metrics.push_back({known == kMetricOfTag.end() ? tag : known->second, number});
  } else if (value->is_text() && known != kMetricOfTag.end()) {
    builder.leave_out(tag, format("is {}", value->text()));
  }
}

void add_state(ImportBuilder& builder, const std::string& benchmark, const Json& state,
               const std::string& path) {
  const std::string label = state.at("name").text();
  Measurement& m = builder.measurement(format("{}/{}", benchmark, label), label);
  if (const auto skipped = state.find("is_skipped"); skipped && skipped->truth()) {
    m.status = Status::skipped;
    m.reason = state.text_or("skip_reason", "no reason given");
    return;
  }
  const auto summaries = state.find("summaries");
  if (!summaries) return;
  for (const auto& summary : summaries->items()) add_summary(builder, m, summary, path);
  if (m.sample_clock_hz.size() != m.samples_s.size()) m.sample_clock_hz.clear();
}

void read_meta(const Json& meta, RunRecord& run) {
  if (const auto argv = meta.find("argv")) {
    for (const auto& word : argv->items())
      run.info.argv += (run.info.argv.empty() ? "" : " ") + word.text();
    if (!argv->items().empty())
      run.info.name = fs::path(argv->items()[0].text()).filename().string();
  }
  if (const auto versions = meta.find("version")) {
    if (const auto nvbench = versions->find("nvbench")) {
      run.environment.push_back({"nvbench_version",
                                 nvbench->text_or("git_version", nvbench->text_or("string", "")),
                                 FactRole::software});
    }
  }
}

}  // namespace

RunRecord from_nvbench(std::string_view text, const std::string& path) {
  const Json json = Json::parse(text, path);
  ImportBuilder builder(text, path, "nvbench");
  read_meta(json.at("meta"), builder.run());
  for (const auto& device : json.at("devices").items()) {
    const auto ordinal = static_cast<int>(device.at("id").count());
    builder.run().devices.push_back({"cuda", ordinal, device.at("name").text(), "", std::nullopt});
    builder.run().environment.push_back(
        {format("gpu{}.model", ordinal), device.at("name").text(), FactRole::machine});
  }
  for (const auto& benchmark : json.at("benchmarks").items()) {
    for (const auto& state : benchmark.at("states").items()) {
      add_state(builder, benchmark.at("name").text(), state, path);
    }
  }
  if (builder.run().measurements.empty()) fail_usage(path + " holds no benchmark");
  return builder.take();
}

}  // namespace bench
