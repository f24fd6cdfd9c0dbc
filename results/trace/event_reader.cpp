#include "results/trace/event_reader.h"

#include "harness/error.h"
#include "harness/format.h"
#include "results/trace/event_walker.h"
#include "results/trace/window.h"

namespace bench {
namespace {

constexpr std::size_t kLargestMember = std::size_t{1} << 20;

class Reader {
 public:
  Reader(ByteSource& source, const std::string& path, TraceHandler& handler)
      : source_(source), path_(path), handler_(handler), window_(source) {}

  EventsRead read() {
    pass_over_mark();
    const int first = window_.peek_nonspace();
    if (first == -1)
      fail_usage(path_ + (window_.offset() == 0 ? " is empty" : " holds only space"));
    window_.advance(1);
    if (first == '[') {
      read_array();
    } else if (first == '{') {
      read_members();
    } else {
      fail_usage(path_ +
                 " is no trace: a torch profiler's Chrome trace (JSON, plain or gzip) or "
                 "Nsight Systems' SQLite export is needed");
    }
    if (!source_.damage().empty()) damage(source_.damage());
    if (read_.damage.empty() && window_.peek_nonspace() != -1) {
      damage("what follows the end of the trace was not read");
    }
    read_.bytes = window_.offset();
    if (!found_events_) {
      fail_usage(path_ + " is no trace: it is JSON without traceEvents" +
                 (read_.damage.empty() ? "" : " (" + read_.damage + ")"));
    }
    return read_;
  }

 private:
  void damage(const std::string& why) {
    if (!read_.damage.empty()) return;
    read_.damage = format("damaged at byte {}: {}", window_.offset(),
                          source_.damage().empty() ? why : source_.damage());
  }

  // Editors put a byte order mark before UTF-8.
  void pass_over_mark() {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (window_.peek() != -1 && window_.text().starts_with(kMark)) window_.advance(kMark.size());
  }

  // The members of the file's object, its { just passed.
  void read_members() {
    while (read_.damage.empty()) {
      int byte = window_.peek_nonspace();
      if (byte == ',') {
        window_.advance(1);
        byte = window_.peek_nonspace();
      }
      if (byte == '}') return window_.advance(1);
      if (byte == -1) return damage("the file ends early");
      if (byte != '"') return damage("a member's name in quotes is needed");
      std::string name;
      if (!read_value(&name)) return damage("the file ends early");
      name = name.substr(1, name.size() - 2);
      if (window_.peek_nonspace() != ':') return damage("':' is needed");
      window_.advance(1);
      if (window_.peek_nonspace() == '[' && name == "traceEvents") {
        window_.advance(1);
        read_array();
        continue;
      }
      std::string value;
      if (!read_value(&value)) return damage("the file ends early");
      if (value.size() < kLargestMember) handler_.on_member(name, value);
    }
  }

  // Passes over one JSON value and keeps its first kLargestMember bytes.
  bool read_value(std::string* value) {
    int depth = 0;
    bool in_string = false;
    for (int byte = window_.peek_nonspace(); byte != -1; byte = window_.peek()) {
      const bool opens = !in_string && (byte == '{' || byte == '[');
      const bool closes = !in_string && (byte == '}' || byte == ']');
      if (depth == 0 && !in_string && (closes || byte == ',')) return true;  // behind a number
      if (value->size() < kLargestMember) value->push_back(static_cast<char>(byte));
      window_.advance(1);
      depth += (opens ? 1 : 0) - (closes ? 1 : 0);
      if (byte == '\\' && in_string) {
        if (window_.peek() == -1) return false;
        if (value->size() < kLargestMember) value->push_back(static_cast<char>(window_.peek()));
        window_.advance(1);
      }
      if (byte == '"') in_string = !in_string;
      if (depth == 0 && !in_string && (closes || byte == '"')) return true;
    }
    return false;
  }

  // The events, their [ just passed.
  void read_array() {
    found_events_ = true;
    TraceEvent event;
    while (true) {
      walker_.start(window_.text());
      auto found = walker_.next(event);
      for (; found == EventWalker::Found::event || found == EventWalker::Found::passed_over;
           found = walker_.next(event)) {
        ++read_.events;
        if (found == EventWalker::Found::event) handler_.on_event(event);
      }
      window_.advance(walker_.consumed());
      if (found == EventWalker::Found::end_of_array) return;
      if (found == EventWalker::Found::damage) return damage("an event in braces is needed");
      if (window_.more()) continue;
      return damage(window_.full() ? "an event does not end within 16 MiB" : "the file ends early");
    }
  }

  ByteSource& source_;
  const std::string& path_;
  TraceHandler& handler_;
  ByteWindow window_;
  EventWalker walker_;
  EventsRead read_;
  bool found_events_ = false;
};

}  // namespace

EventsRead read_events(ByteSource& source, const std::string& path, TraceHandler& handler) {
  return Reader(source, path, handler).read();
}

}  // namespace bench
