#include "runners/http/request_metrics.h"

#include <algorithm>
#include <map>

namespace bench {
namespace {

const StreamEvent* first_token(const RequestRecord& record) {
  const auto it = std::ranges::find_if(record.events, [](const auto& e) { return e.tokens > 0; });
  return it == record.events.end() ? nullptr : &*it;
}

const StreamEvent* last_token(const RequestRecord& record) {
  const auto it = std::find_if(record.events.rbegin(), record.events.rend(),
                               [](const auto& e) { return e.tokens > 0; });
  return it == record.events.rend() ? nullptr : &*it;
}

}  // namespace

std::optional<Seconds> ttft(const RequestRecord& record) {
  const StreamEvent* first = first_token(record);
  if (first == nullptr) return std::nullopt;
  return first->time - record.start();
}

std::optional<Seconds> e2e(const RequestRecord& record) {
  const StreamEvent* last = last_token(record);
  if (last == nullptr) return std::nullopt;
  return last->time - record.start();
}

std::string tpot_missing(const RequestRecord& record) {
  const StreamEvent* first = first_token(record);
  if (first == nullptr) return "no output token";
  if (first->time == last_token(record)->time) return "one arrival of tokens has no rate";
  if (record.output_got == kUnknown) return "the server gave no token count";
  if (record.output_got <= first->tokens) return "all tokens came in the first event";
  return {};
}

std::optional<Seconds> tpot(const RequestRecord& record) {
  if (!tpot_missing(record).empty()) return std::nullopt;
  const StreamEvent* first = first_token(record);
  return (last_token(record)->time - first->time) / (record.output_got - first->tokens);
}

std::vector<TokenGap> token_gaps(const RequestRecord& record) {
  std::vector<TokenGap> gaps;
  const StreamEvent* before = nullptr;
  for (const StreamEvent& event : record.events) {
    if (event.tokens <= 0) continue;
    if (before != nullptr) gaps.push_back({event.time - before->time, event.tokens, event.source});
    before = &event;
  }
  return gaps;
}

bool deltas_are_known(const RequestRecord& record) {
  std::int64_t tokens = 0;
  bool assumed = false;
  for (const StreamEvent& event : record.events) {
    tokens += event.tokens;
    assumed = assumed || event.source == CountSource::assumed;
  }
  return !assumed || tokens == record.output_got;
}

std::vector<double> itl(const RequestRecord& record) {
  std::vector<double> times;
  if (!deltas_are_known(record)) return times;
  for (const TokenGap& gap : token_gaps(record)) times.push_back(gap.gap.count() / gap.tokens);
  return times;
}

Window steady_window(std::span<const RequestRecord> records, Seconds warm_up_end) {
  if (records.empty()) return {};
  if (records.front().open_loop) {
    Window window{Seconds::max(), Seconds::min()};
    for (const RequestRecord& record : records) {
      if (record.phase != Phase::measured) continue;
      window.begin = std::min(window.begin, record.due);
      window.end = std::max(window.end, record.due);
    }
    return window;
  }
  struct User {
    Seconds first_token = Seconds::max();
    Seconds last_end = Seconds::min();
  };
  std::map<std::int64_t, User> users;
  for (const RequestRecord& record : records) {
    User& user = users[record.user];
    if (const StreamEvent* first = first_token(record)) {
      user.first_token = std::min(user.first_token, first->time);
    }
    user.last_end = std::max(user.last_end, record.end);
  }
  Window window{warm_up_end, Seconds::max()};
  for (const auto& [number, user] : users) {
    if (user.first_token != Seconds::max()) window.begin = std::max(window.begin, user.first_token);
    window.end = std::min(window.end, user.last_end);
  }
  return window;
}

double tokens_within(std::span<const RequestRecord> records, const Window& window) {
  double tokens = 0;
  for (const RequestRecord& record : records) {
    std::int64_t all = 0;
    std::int64_t within = 0;
    for (const StreamEvent& event : record.events) {
      all += event.tokens;
      if (event.time > window.begin && event.time <= window.end) within += event.tokens;
    }
    const bool guessed = !deltas_are_known(record) && record.output_got != kUnknown;
    const double each =
        guessed ? static_cast<double>(record.output_got) / static_cast<double>(all) : 1;
    tokens += static_cast<double>(within) * each;
  }
  return tokens;
}

std::int64_t requests_ended_within(std::span<const RequestRecord> records, const Window& window) {
  return std::ranges::count_if(records, [&](const RequestRecord& record) {
    return record.failure == Failure::none && record.end > window.begin && record.end <= window.end;
  });
}

double requests_in_flight(std::span<const RequestRecord> records, const Window& window) {
  if (window.length() <= Seconds{0}) return 0;
  Seconds busy{0};
  for (const RequestRecord& record : records) {
    const Seconds from = std::max(record.sent, window.begin);
    const Seconds to = std::min(record.end, window.end);
    if (record.sent >= Seconds{0} && to > from) busy += to - from;
  }
  return busy / window.length();
}

}  // namespace bench
