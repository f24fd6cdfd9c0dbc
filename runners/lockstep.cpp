#include "runners/lockstep.h"

#include <algorithm>
#include <sstream>

#include "harness/format.h"

namespace bench {
namespace {

// First byte of what the parents hand one another.
constexpr char kMeetMark = 'M';
constexpr char kEndMark = 'E';

struct Ended {
  std::string reason;
  std::vector<std::string> done;
};

Ended read_end(const std::string& text) {
  Ended ended;
  std::istringstream lines(text.substr(1));
  std::getline(lines, ended.reason);
  for (std::string id; std::getline(lines, id);) ended.done.push_back(id);
  return ended;
}

}  // namespace

MeetingReply Lockstep::meet(const std::string& bytes) {
  MeetingReply reply;
  reply.met = hosts_.exchange(kMeetMark + bytes);
  for (std::size_t host = 0; host < reply.met.size(); ++host) {
    std::string& text = reply.met[host];
    if (text.empty() || text.front() != kMeetMark) {
      const std::string why = text.empty() ? "" : read_end(text).reason;
      reply.lost = format("process {}: {}", host, why.empty() ? "its worker has ended" : why);
    }
    text.erase(0, 1);
  }
  if (!reply.lost.empty()) reply.met.clear();
  return reply;
}

std::map<std::string, std::string> Lockstep::end(const std::string& reason,
                                                 const std::set<std::string>& done) {
  std::string line = reason;
  std::ranges::replace(line, '\n', ' ');
  const std::string mine = format("{}{}\n{}", kEndMark, line, join(done, "\n"));
  std::vector<std::string> all;
  do {
    all = hosts_.exchange(mine);
  } while (!std::ranges::all_of(all, [](const std::string& t) { return t.starts_with(kEndMark); }));
  std::map<std::string, std::string> lost;
  for (std::size_t host = 0; host < all.size(); ++host) {
    const Ended ended = read_end(all[host]);
    for (const std::string& id : ended.done) {
      lost.try_emplace(id, format("process {}: {}", host, ended.reason));
    }
  }
  return lost;
}

}  // namespace bench
