#include "results/export.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "results/import.h"
#include "results/query.h"
#include "tests/results/errors.h"
#include "tests/results/sample_run.h"

namespace bench {
namespace {

std::string exported(const RunRecord& run) {
  std::ostringstream out;
  export_run(out, run);
  return out.str();
}

RunRecord stored_run(const TestFolder& folder, const RunRecord& record) {
  Store store(folder.file(), Access::write);
  const std::int64_t run = store.add(record);
  store.end(run, RunStatus::complete);
  return load_run(store, run, LoadSamples::yes);
}

TEST(Export, ARunGoesOutAndComesInToAnotherStoreUnchanged) {
  const TestFolder folder;
  const std::string text = exported(stored_run(folder, measured_run()));
  std::ofstream(folder.file("run.json")) << text;
  Store other(folder.file("other.db"), Access::write);
  const std::int64_t run = add_or_complete(other, read_run_file(folder.file("run.json")));
  EXPECT_EQ(exported(load_run(other, run, LoadSamples::yes)), text);
}

TEST(Export, ImportedTwiceIsStoredOnce) {
  const TestFolder folder;
  const RunRecord run = stored_run(folder, measured_run());
  Store other(folder.file("other.db"), Access::write);
  const std::int64_t first = add_or_complete(other, run);
  EXPECT_EQ(add_or_complete(other, run), first);
  EXPECT_EQ(list_runs(other).size(), 1u);
  EXPECT_EQ(stored_measurements(other, first).size(), run.measurements.size());
}

TEST(Export, ALaterExportOfARunBringsOnlyWhatIsMissing) {
  const TestFolder folder;
  const RunRecord whole = stored_run(folder, measured_run());
  RunRecord part = whole;
  part.info.status = RunStatus::interrupted;
  part.measurements.resize(3);
  Store other(folder.file("other.db"), Access::write);
  const std::int64_t run = add_or_complete(other, part);
  add_or_complete(other, whole);
  EXPECT_EQ(exported(load_run(other, run, LoadSamples::yes)), exported(whole));
  add_or_complete(other, part);
  EXPECT_EQ(exported(load_run(other, run, LoadSamples::yes)), exported(whole));
}

TEST(Export, SaysTheVersionThatANewerFileNeeds) {
  const TestFolder folder;
  std::string text = exported(stored_run(folder, measured_run()));
  text.replace(text.find(":1,"), 3, ":9,");
  EXPECT_EQ(error_of([&] { return import_run(Json::parse(text, "a.json")); }),
            "a.json: schema_version: a bench that reads exports of version 9 (this one reads up to "
            "1) is needed");
}

TEST(Export, RefusesWhatDoesNotFitTogether) {
  const TestFolder folder;
  const std::string text = exported(stored_run(folder, measured_run(1)));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return error_of([&] { return import_run(Json::parse(other, "a.json")); });
  };
  EXPECT_EQ(changed("\"plan\":[", "\"planned\":["), "a.json: a member 'plan' is needed");
  EXPECT_EQ(changed("\"status\":\"complete\"", "\"status\":\"done\""),
            "'done' is no status of a run");
  EXPECT_NE(changed("\"id\":\"", "\"id\":\"X").find("an id of 32 hex digits is needed"),
            std::string::npos);
  EXPECT_NE(changed("\"context\":1024", "\"context\":2048").find("its parameters give"),
            std::string::npos);
  EXPECT_EQ(changed("{\"case\":\"", "{\"case\":\"x"),
            "a.json: measurements[0].case: the id of a case in 'plan' is needed");
}

TEST(Export, AnyTextCutShortIsRefusedAndNeverCrashes) {
  const TestFolder folder;
  const std::string text = exported(stored_run(folder, measured_run(1, 1)));
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    EXPECT_NE(error_of([&] { return import_run(Json::parse(text.substr(0, length), "a.json")); }),
              "no error");
  }
}

TEST(Export, HoldsTheDefinitionsOfItsMetrics) {
  const TestFolder folder;
  const Json json = Json::parse(exported(stored_run(folder, measured_run(1, 1))), "a.json");
  const auto metrics = json.at("metrics").items();
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].at("name").text(), "tpot_s");
  EXPECT_EQ(metrics[0].at("better").text(), "lower");
  EXPECT_EQ(metrics[1].at("better").text(), "higher");
}

}  // namespace
}  // namespace bench
