#pragma once

#include <string>
#include <vector>

#include "harness/app/remaining.h"
#include "harness/app/survey.h"
#include "results/store.h"
#include "workloads/workload.h"

namespace bench {

// What the user said of a run on the command line.
struct RunRequest {
  std::string argv;
  std::string tag;
  std::string notes;
  bool resume = false;
  double started_unix_s = 0;     // 0: now
  std::vector<Fact> facts = {};  // of the environment, beside the host's own
  std::string folder = {};       // where logs go of servers that name none

  [[nodiscard]] std::string log_of(const Server& server) const;
};

// Whether both set out to measure the same cases as often.
bool same_plan(const std::vector<PlannedCase>& a, const std::vector<PlannedCase>& b);

// One `bench run` in the store: opened before the first measurement, so that each is stored as it
// is made, and gone on with by --resume.
class Session {
 public:
  // Makes the run, or with `resume` takes up the newest interrupted one of the same configuration
  // (Error, exit 2, when there is none).
  Session(Store& store, const Plan& plan, const Survey& survey, const RunRequest& request);

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const Remaining& remaining() const { return remaining_; }
  void add(const Measurement& measurement);
  void add_requests(const MeasurementKey& key, const std::string& records);

 private:
  Store& store_;
  std::int64_t number_ = 0;
  Remaining remaining_;
};

}  // namespace bench
