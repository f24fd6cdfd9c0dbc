#include "runners/lockstep.h"

#include <algorithm>

#include "harness/format.h"
#include "results/environment.h"
#include "results/json.h"
#include "results/json_writer.h"

namespace bench {
namespace {

// First byte of what the parents hand one another.
constexpr char kMeetMark = 'M';
constexpr char kEndMark = 'E';

// A worker's end as its parent tells it.
struct Ended {
  std::string process;  // "process 1 on box2"
  Loss loss;
  std::vector<std::string> done{};
};

std::string encode_end(const Ended& ended) {
  JsonWriter out;
  out.begin_object()
      .member("process", ended.process)
      .member("lost", ended.loss.case_id)
      .member("status", to_string(ended.loss.status))
      .member("reason", ended.loss.reason)
      .member("others", ended.loss.others)
      .key("done")
      .begin_array();
  for (const std::string& id : ended.done) out.value(id);
  out.end_array().end_object();
  return kEndMark + out.take();
}

Ended decode_end(const std::string& text) {
  const Json json = Json::parse(text.substr(1), "another process");
  Ended ended{.process = json.at("process").text(),
              .loss = {.case_id = json.at("lost").text(),
                       .status = status_from(json.at("status").text()),
                       .reason = json.at("reason").text(),
                       .others = json.at("others").truth()}};
  for (const Json& id : json.at("done").items()) ended.done.push_back(id.text());
  return ended;
}

bool is_end(const std::string& text) { return text.starts_with(kEndMark); }

std::string process_name(const Hosts& hosts) {
  const bool one_machine = hosts.local_count() == hosts.count();
  return format("process {}{}{}", hosts.index(), one_machine ? "" : " on ",
                one_machine ? "" : host_name());
}

// Who only waited for another explains nothing, unless all did.
Lockstep::Over judge(const std::vector<Ended>& all) {
  const bool known = std::ranges::any_of(
      all, [](const Ended& e) { return !e.loss.case_id.empty() && !e.loss.others; });
  Lockstep::Over over{.reason = ""};
  std::set<std::string> told;
  for (const Ended& ended : all) {
    over.case_ids.insert(ended.done.begin(), ended.done.end());
    if (ended.loss.case_id.empty()) continue;
    over.case_ids.insert(ended.loss.case_id);
    if (known && ended.loss.others) continue;
    if (!told.insert(ended.loss.reason).second) continue;
    if (told.size() == 1) over.status = ended.loss.status;
    if (!over.reason.empty()) over.reason += "; ";
    over.reason += format("{}: {}", ended.process, ended.loss.reason);
  }
  if (told.empty()) over.reason = "not all processes of the run measured it";
  return over;
}

}  // namespace

MeetingReply Lockstep::meet(const std::string& bytes) {
  MeetingReply reply;
  reply.met = hosts_.exchange(kMeetMark + bytes);
  std::vector<Ended> ended;
  for (std::string& text : reply.met) {
    if (is_end(text)) ended.push_back(decode_end(text));
    text.erase(0, 1);
  }
  if (ended.empty()) return reply;
  return {.lost = judge(ended).reason, .met = {}};
}

Lockstep::Over Lockstep::end(const Loss& loss, const std::set<std::string>& done) {
  const std::string mine = encode_end({process_name(hosts_), loss, {done.begin(), done.end()}});
  std::vector<std::string> all;
  do {
    all = hosts_.exchange(mine);
  } while (!std::ranges::all_of(all, is_end));
  std::vector<Ended> ended;
  ended.reserve(all.size());
  for (const std::string& text : all) ended.push_back(decode_end(text));
  return judge(ended);
}

}  // namespace bench
