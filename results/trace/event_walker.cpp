#include "results/trace/event_walker.h"

#include "results/trace/structure.h"

namespace bench {
namespace {

bool space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// A member whose value is not read yet: all up to the next name or the closing brace.
struct Member {
  std::string_view name;
  std::size_t value = 0;  // where it begins

  [[nodiscard]] std::string_view value_until(std::string_view text, std::size_t end) const {
    std::size_t begin = value;
    while (begin < end && space(text[begin])) ++begin;
    while (end > begin && (space(text[end - 1]) || text[end - 1] == ',')) --end;
    return text.substr(begin, end - begin);
  }
};

}  // namespace

void EventWalker::start(std::string_view text) {
  text_ = text;
  find_structure(text, positions_);
  next_ = 0;
  consumed_ = 0;
}

std::size_t EventWalker::nonspace(std::size_t at) const {
  while (at < text_.size() && space(text_[at])) ++at;
  return at;
}

EventWalker::Found EventWalker::next(TraceEvent& event) {
  std::size_t at = nonspace(consumed_);
  while (at < text_.size() && text_[at] == ',') at = nonspace(at + 1);
  if (at == text_.size()) return Found::more_needed;
  if (text_[at] == ']') {
    consumed_ = at + 1;
    return Found::end_of_array;
  }
  if (text_[at] != '{' || next_ == positions_.size()) {
    consumed_ = at;
    return Found::damage;
  }
  event = {};
  wanted_ = true;
  if (!read_object(event)) return Found::more_needed;
  consumed_ = positions_[next_ - 1] + std::size_t{1};
  return wanted_ && event.kind != TraceEventKind::other ? Found::event : Found::passed_over;
}

// False: the text ends within.
bool EventWalker::read_object(TraceEvent& event) {
  int depth = 0;
  bool in_args = false;
  Member member;
  const auto finish = [&](std::size_t end) {
    if (member.name.empty()) return;
    const std::string_view value = member.value_until(text_, end);
    if (depth == 2 && in_args) set_argument(event, member.name, value);
    if (depth != 1) return;
    set_member(event, member.name, value);
    if (member.name == "ph") wanted_ = value == "\"X\"";
    if (member.name == "cat") wanted_ = wanted_ && event.kind != TraceEventKind::other;
  };
  while (next_ < positions_.size()) {
    const std::size_t at = positions_[next_++];
    if (text_[at] == '{') {
      if (depth == 1) in_args = member.name == "args";
      member.name = {};
      ++depth;
    } else if (text_[at] == '}') {
      finish(at);
      member.name = {};
      if (--depth == 0) return true;
    } else {
      if (next_ == positions_.size()) return false;
      const std::size_t close = positions_[next_++];
      const std::size_t after = nonspace(close + 1);
      if (after >= text_.size()) return false;
      if (text_[after] != ':') continue;  // a value
      finish(at);
      if (!wanted_) return pass_over(depth);
      member = {text_.substr(at + 1, close - at - 1), after + 1};
    }
  }
  return false;
}

// To the end of the event, by its braces alone.
bool EventWalker::pass_over(int depth) {
  while (next_ < positions_.size()) {
    const char c = text_[positions_[next_++]];
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return true;
  }
  return false;
}

}  // namespace bench
