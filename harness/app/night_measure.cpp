#include "harness/app/night_measure.h"

#include <filesystem>
#include <iostream>

#include "harness/app/house.h"
#include "harness/app/shell_word.h"
#include "harness/format.h"
#include "results/query.h"

namespace bench {
namespace {

// The newest run of the night, in whatever state, if it set out to measure just what the plan asks
// for now.
std::optional<RunInfo> run_of_night(Store& store, const Plan& plan, const RunRequest& request) {
  RunInfo like;
  like.name = plan.name;
  like.tag = request.tag;
  like.plan_source = plan.source;
  const auto found = find_like(store, like);
  if (!found || !same_plan(load_run(store, *found, LoadSamples::no).plan, manifest(plan))) {
    return std::nullopt;
  }
  return load_info(store, *found);
}

}  // namespace

RunRequest run_request_of(const NightRequest& night, const std::string& binary) {
  RunRequest request{
      .argv = format("bench run {} --db {}", shell_word(night.config), shell_word(night.database)),
      .tag = "night-" + night.night,
      .notes = "bench nightly",
      .started_unix_s = unix_now() + night.offset_s,
      .facts = {{kBinaryFact, binary, FactRole::circumstance}}};
  request.folder = std::filesystem::path(night.database).parent_path().string();
  return request;
}

Executed measure_night(Store& store, const NightRequest& night, const Survey& survey,
                       RunRequest request) {
  const auto found = run_of_night(store, night.plan, request);
  if (found && found->status == RunStatus::complete && !night.again) {
    std::cout << format("run {} is whole: it is only judged\n", found->number);
    return {found->number, true};
  }
  request.resume = found && found->status == RunStatus::interrupted;
  return execute(store, night.plan, survey, request);
}

}  // namespace bench
