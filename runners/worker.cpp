#include "runners/worker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/lockstep.h"
#include "runners/process.h"
#include "runners/protocol.h"

namespace bench {
namespace {

// One worker's life as the parent sees it: the cases it still owes, and the one it is at.
class Supervisor {
 public:
  // `together`: with other processes' workers, who have a say in why a case is lost.
  Supervisor(Job& job, const WorkerEvents& events, bool together)
      : job_(job), events_(events), together_(together) {}

  [[nodiscard]] bool done() const { return job_.groups.empty(); }
  [[nodiscard]] bool at_a_case() const { return !current_.empty(); }
  [[nodiscard]] std::int64_t results() const { return results_; }
  [[nodiscard]] const std::set<std::string>& finished() const { return finished_; }
  [[nodiscard]] const Loss& loss() const { return loss_; }
  void begin_worker() { loss_ = {}; }

  void take(const WorkerMessage& message) {
    if (message.kind == WorkerMessage::Kind::begin) {
      if (current_ == message.case_id) return;
      current_ = message.case_id;
      if (const Case* c = find(current_)) events_.begin(*c);
    }
    if (message.kind == WorkerMessage::Kind::requests) {
      if (const Case* c = find(current_)) events_.requests(*c, message.requests);
    }
    if (message.kind != WorkerMessage::Kind::result) return;
    const Measurement& m = message.measurement;
    if (together_ && message.lost != WorkerMessage::Lost::no) {
      hold({case_id(m.what), m.status, m.reason, message.lost == WorkerMessage::Lost::elsewhere});
    } else {
      finish(m);
    }
  }

  // The worker is gone before all was done: the case it was at has failed. One that died before
  // it began any fails the first, so that there is always progress.
  void lose(Status status, const std::string& reason) {
    const Case* c = find(current_);
    if (c == nullptr) c = &job_.groups.front().front();
    if (together_) {
      hold({.case_id = case_id(*c), .status = status, .reason = reason});
    } else {
      finish({.what = *c, .status = status, .reason = reason});
    }
  }

  // The workers of all processes have ended. Cases over on one are not measured again here.
  void follow(const Lockstep::Over& over) {
    for (const std::string& id : over.case_ids) {
      const Case* c = find(id);
      if (c != nullptr) finish({.what = *c, .status = over.status, .reason = over.reason});
    }
  }

 private:
  const Case* find(const std::string& id) const {
    for (const std::vector<Case>& group : job_.groups) {
      for (const Case& c : group) {
        if (case_id(c) == id) return &c;
      }
    }
    return nullptr;
  }

  void hold(Loss loss) {
    ++results_;
    current_.clear();
    if (loss_.case_id.empty()) loss_ = std::move(loss);
  }

  void finish(Measurement measurement) {
    const std::string id = case_id(measurement.what);
    if (find(id) == nullptr) return;
    ++results_;
    finished_.insert(id);
    measurement.workload = job_.workload.name;
    measurement.replicate = job_.replicate;
    for (std::vector<Case>& group : job_.groups) {
      std::erase_if(group, [&](const Case& c) { return case_id(c) == id; });
    }
    std::erase_if(job_.groups, [](const std::vector<Case>& group) { return group.empty(); });
    if (current_ == id) current_.clear();
    events_.result(measurement);
  }

  Job& job_;
  const WorkerEvents& events_;
  std::string current_;
  std::int64_t results_ = 0;
  std::set<std::string> finished_;
  bool together_;
  Loss loss_;  // of the worker at work, until all processes have theirs
};

std::string with_last_words(const std::string& what, const std::string& error_tail) {
  std::string words = error_tail;
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  if (words.empty()) return what;
  constexpr std::size_t kMost = 600;
  if (words.size() > kMost) words = "..." + words.substr(words.size() - kMost);
  return what + ": " + words;
}

// A worker that ends well between two cases has reported an error itself and wants a successor.
void report_death(Process& process, Supervisor& supervisor, bool had_results) {
  const std::string how = process.wait();
  if (supervisor.done()) return;
  if (how.empty() && had_results && !supervisor.at_a_case()) return;
  const bool killed = how.starts_with("signal 9 ");
  const std::string what =
      how.empty() ? "the worker ended early"
      : killed    ? "the worker was killed (signal 9): most likely the machine ran out of memory"
                  : "the worker died with " + how;
  supervisor.lose(killed ? Status::out_of_memory : Status::crashed,
                  with_last_words(what, process.error_tail()));
}

// Reads one worker to its end. The wait is cut into short turns only to notice `stop`.
void supervise(Process& process, Supervisor& supervisor, Lockstep* lockstep, Seconds deadline,
               const std::atomic<bool>& stop) {
  constexpr Seconds kTurn{0.2};
  const std::int64_t results_before = supervisor.results();
  Seconds silent{0};
  std::string line;
  while (!stop) {
    switch (process.read_line(line, std::min(kTurn, deadline - silent))) {
      case Process::Read::line:
        silent = Seconds(0);
        if (WorkerMessage message = decode_message(line);
            message.kind == WorkerMessage::Kind::meet) {
          if (lockstep == nullptr) fail("a worker of a run of one process asks for others");
          process.write(encode(lockstep->meet(message.bytes)) + "\n");
        } else {
          supervisor.take(message);
        }
        break;
      case Process::Read::silent:
        silent += std::min(kTurn, deadline - silent);
        if (silent < deadline) break;
        process.kill();
        process.wait();
        supervisor.lose(Status::timeout, format("the worker said nothing for {} (deadline)",
                                                format_seconds(deadline)));
        return;
      case Process::Read::end:
        report_death(process, supervisor, supervisor.results() > results_before);
        return;
    }
  }
}

// A worker elsewhere may be silent up to the deadline, and takes a while to be ended.
Seconds patience_with(Seconds deadline) { return 1.25 * deadline + Seconds(5); }

Job::Place place_of(const Hosts& hosts) {
  return {hosts.index(), hosts.count(), hosts.local_index(), hosts.local_count()};
}

}  // namespace

void measure_job(Job job, const std::vector<std::string>& command, const WorkerEvents& events,
                 const std::atomic<bool>& stop, Hosts* hosts) {
  const bool together = hosts != nullptr && hosts->count() > 1;
  Supervisor supervisor(job, events, together);
  std::optional<Lockstep> lockstep;
  const Seconds patience = together ? hosts->patience() : Seconds(0);
  if (together) {
    lockstep.emplace(*hosts);
    job.place = place_of(*hosts);
    hosts->be_patient_for(patience_with(Seconds(job.workload.deadline_s)));
  }
  while (!supervisor.done() && !stop) {
    supervisor.begin_worker();
    Process process(command, encode(job, JobKind::measure) + "\n",
                    lockstep ? Process::Input::stays_open : Process::Input::ends);
    supervise(process, supervisor, lockstep ? &*lockstep : nullptr,
              Seconds(job.workload.deadline_s), stop);
    if (!lockstep) continue;
    supervisor.follow(lockstep->end(supervisor.loss(), supervisor.finished()));
  }
  if (together) hosts->be_patient_for(patience);
}

namespace {

Estimates ask(Job job, JobKind kind, const std::vector<std::string>& command, const Hosts* hosts) {
  constexpr Seconds kLimit{120};
  if (hosts != nullptr) job.place = place_of(*hosts);
  Process process(command, encode(job, kind) + "\n");
  std::string line;
  switch (process.read_line(line, kLimit)) {
    case Process::Read::line:
      return decode_message(line).estimates;
    case Process::Read::silent:
      fail(format("{}: the device did not answer within {}", job.workload.name,
                  format_seconds(kLimit)));
    case Process::Read::end:
      break;
  }
  const std::string how = process.wait();
  const std::string complaint = process.error_tail();
  if (how == format("exit {}", static_cast<int>(Exit::usage))) {
    fail_usage(format("{}: {}", job.workload.name, complaint.substr(0, complaint.find('\n'))));
  }
  fail(format(
      "{}: {}", job.workload.name,
      with_last_words("the worker ended early" + (how.empty() ? "" : " with " + how), complaint)));
}

}  // namespace

Estimates estimate_job(const Job& job, const std::vector<std::string>& command,
                       const Hosts* hosts) {
  return ask(job, JobKind::estimate, command, hosts);
}

std::vector<std::string> devices_of_job(const Job& job, const std::vector<std::string>& command,
                                        const Hosts* hosts) {
  return ask(job, JobKind::devices, command, hosts).exclusive;
}

}  // namespace bench
