// The worker's side: reads a job, measures it, says what it finds.

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <map>
#include <set>

#include "harness/error.h"
#include "harness/format.h"
#include "harness/registry.h"
#include "results/run.h"
#include "runners/protocol.h"
#include "runners/worker.h"

namespace bench {
namespace {

constexpr int kAnswers = 3;

// A parent that is gone ends us by PR_SET_PDEATHSIG; a failed write needs no answer.
void say(const WorkerMessage& message) {
  const std::string line = encode(message) + "\n";
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t wrote = ::write(kAnswers, line.data() + done, line.size() - done);
    if (wrote <= 0) fail("the parent process is gone");
    done += static_cast<std::size_t>(wrote);
  }
}

class PipeSink : public Sink {
 public:
  void begin(const Case& c) override {
    if (current_ == &c) return;
    say({.kind = WorkerMessage::Kind::begin, .case_id = case_id(c)});
    turn_to(&c);
  }
  void progress(const std::string& phase) override {
    say({.kind = WorkerMessage::Kind::progress, .phase = phase});
  }
  void requests(std::string records) override {
    say({.kind = WorkerMessage::Kind::requests, .requests = std::move(records)});
  }
  void result(Measurement measurement) override {
    result(std::move(measurement), WorkerMessage::Lost::no);
  }
  void result(Measurement measurement, WorkerMessage::Lost lost) {
    turn_to(current_);
    const Turns& turns = turns_[case_id(measurement.what)];
    if (measurement.started_unix_s == 0) measurement.started_unix_s = turns.first_unix_s;
    if (measurement.wall_s == 0) measurement.wall_s = turns.spent.count();
    say({.kind = WorkerMessage::Kind::result, .measurement = std::move(measurement), .lost = lost});
  }
  // The case begun last, which an error is about; nullptr before the first.
  [[nodiscard]] const Case* current() const { return current_; }

 private:
  // The cases of a point take turns: checks first, then steps in shuffled order.
  struct Turns {
    double first_unix_s = 0;  // when its first turn began
    Seconds spent{0};         // in all its turns
  };

  void turn_to(const Case* next) {
    const auto now = std::chrono::steady_clock::now();
    if (current_ != nullptr) turns_[case_id(*current_)].spent += now - since_;
    since_ = now;
    current_ = next;
    if (next == nullptr) return;
    Turns& turns = turns_[case_id(*next)];
    if (turns.first_unix_s == 0) turns.first_unix_s = unix_now();
  }

  const Case* current_ = nullptr;
  std::chrono::steady_clock::time_point since_;  // when the turn of current_ began
  std::map<std::string, Turns> turns_;
};

// The other processes of the run, through the parents.
class PipeHosts : public Hosts {
 public:
  explicit PipeHosts(const Job::Place& at)
      : Hosts(at.index, at.count, at.local_index, at.local_count) {}

  std::vector<std::string> exchange(std::string mine) override {
    if (count() == 1) return {std::move(mine)};
    say({.kind = WorkerMessage::Kind::meet, .bytes = std::move(mine)});
    std::string line;
    if (!std::getline(std::cin, line)) fail("the parent process is gone");
    MeetingReply reply = decode_reply(line);
    if (!reply.lost.empty()) throw OthersLost(reply.lost);
    return std::move(reply.met);
  }
};

// False: an error ended it, and was said of the case at hand. A device may be in any state after
// an error, so this process ends too and the parent starts another for what is left.
bool measure_group(Runner& runner, const Job& job, const std::vector<Case>& group, PipeSink& sink) {
  const auto lose = [&](Status status, const std::string& reason,
                        WorkerMessage::Lost lost = WorkerMessage::Lost::here) {
    const Case& at = sink.current() == nullptr ? group.front() : *sink.current();
    sink.result({.what = at, .status = status, .reason = reason}, lost);
    return false;
  };
  try {
    runner.measure(job.workload, group, job.replicate, job.seed, sink);
    return true;
  } catch (const OutOfMemory& error) {
    return lose(Status::out_of_memory, error.what());
  } catch (const std::bad_alloc&) {
    return lose(Status::out_of_memory, "the host ran out of memory");
  } catch (const OthersLost& error) {
    return lose(Status::failed, error.what(), WorkerMessage::Lost::elsewhere);
  } catch (const std::exception& error) {
    return lose(Status::failed, error.what());
  }
}

void measure(Runner& runner, const Job& job) {
  for (const std::vector<Case>& group : job.groups) {
    PipeSink sink;
    if (!measure_group(runner, job, group, sink)) return;
  }
}

void name_devices(Runner& runner, const Job& job) {
  std::set<std::string> devices;
  for (const std::vector<Case>& group : job.groups) {
    for (std::string& device : runner.exclusive(group.front())) devices.insert(std::move(device));
  }
  WorkerMessage message{.kind = WorkerMessage::Kind::estimates};
  message.estimates.exclusive.assign(devices.begin(), devices.end());
  say(message);
}

void estimate(Runner& runner, const Job& job) {
  WorkerMessage message{.kind = WorkerMessage::Kind::estimates};
  message.estimates.devices = runner.devices(job.groups);
  message.estimates.environment = runner.environment(job.groups);
  for (const std::vector<Case>& group : job.groups) {
    message.estimates.points.push_back(runner.estimate(group));
  }
  say(message);
}

}  // namespace

void serve_job() {
  std::string line;
  std::getline(std::cin, line);
  const auto [job, kind] = decode_job(line);
  const RunnerKind* runner_kind = Registry<RunnerKind>::find(job.workload.runner);
  if (runner_kind == nullptr) fail(format("no runner '{}' in this build", job.workload.runner));
  PipeHosts hosts(job.place);
  const std::unique_ptr<Runner> runner = runner_kind->make(hosts);
  if (kind == JobKind::measure) measure(*runner, job);
  if (kind == JobKind::estimate) estimate(*runner, job);
  if (kind == JobKind::devices) name_devices(*runner, job);
}

}  // namespace bench
