#include "harness/app/night_message.h"

#include <algorithm>
#include <map>

#include "harness/format.h"
#include "results/json_writer.h"

namespace bench {
namespace {

// A night that breaks everything must still be readable, and fit a pipe and a chat.
constexpr std::size_t kMostShown = 20;

std::string counts_of(const News& news) {
  std::map<std::string, int> opened;
  for (const Finding& f : news.opened) ++opened[f.incident.kind];
  std::vector<std::string> parts;
  parts.reserve(opened.size() + 1);
  for (const auto& [kind, count] : opened) parts.push_back(format("{} {}", count, kind));
  if (!news.closed.empty()) parts.push_back(format("{} over", news.closed.size()));
  if (parts.empty()) return news.events.front().substr(0, news.events.front().find('\n'));
  return format("{}", join(parts, ", "));
}

template <typename Items, typename Line>
void add_lines(std::string& text, const Items& items, const Line& line) {
  for (std::size_t i = 0; i < std::min(kMostShown, items.size()); ++i) {
    text += format("\n{}\n", line(items[i]));
  }
  if (items.size() > kMostShown) text += format("\nand {} more\n", items.size() - kMostShown);
}

std::string plain_text(const std::string& title, const News& news) {
  std::string text = title + "\n";
  add_lines(text, news.events, [](const std::string& event) { return event; });
  add_lines(text, news.opened,
            [](const Finding& f) { return f.incident.kind + ": " + f.incident.words; });
  add_lines(text, news.closed, [](const Incident& i) {
    return format("over: the {} of night {} ({})", i.kind, i.opened,
                  i.words.substr(0, i.words.find('\n')));
  });
  return text;
}

void write_row(JsonWriter& out, const Row& row) {
  out.member("metric", row.metric);
  if (!row.relative_to.empty()) out.member("relative_to", row.relative_to);
  if (!row.evidence) return;
  out.member("before", row.evidence->baseline)
      .member("after", row.evidence->candidate)
      .member("ratio", row.evidence->ratio);
  if (!row.evidence->interval) return;
  out.key("interval").begin_array();
  out.value(row.evidence->interval->low).value(row.evidence->interval->high).end_array();
}

void write_incident(JsonWriter& out, const char* state, const Incident& incident) {
  out.member("state", state)
      .member("kind", incident.kind)
      .member("subject", incident.subject)
      .member("words", incident.words);
}

std::string json_of(const Night& night, const std::string& host, const std::string& text,
                    const News& news) {
  JsonWriter out;
  out.begin_object()
      .member("schema_version", 1)
      .member("configuration", night.configuration)
      .member("host", host)
      .member("night", night.night)
      .member("text", text);
  if (night.run) out.member("run", *night.run);
  out.key("items").begin_array();
  for (std::size_t i = 0; i < std::min(kMostShown, news.opened.size()); ++i) {
    out.begin_object();
    write_incident(out, "opened", news.opened[i].incident);
    if (news.opened[i].row) write_row(out, *news.opened[i].row);
    out.end_object();
  }
  for (std::size_t i = 0; i < std::min(kMostShown, news.closed.size()); ++i) {
    out.begin_object();
    write_incident(out, "closed", news.closed[i]);
    out.end_object();
  }
  for (const std::string& event : news.events) {
    out.begin_object().member("state", "event").member("words", event).end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace

Alert message_of(const Night& night, const std::string& host, const News& news) {
  Alert message;
  message.subject = format("bench: {} on {}, night {}: {}", night.configuration, host, night.night,
                           counts_of(news));
  std::ranges::replace_if(
      message.subject, [](unsigned char c) { return c < ' '; }, ' ');
  message.text = plain_text(message.subject, news);
  message.json = json_of(night, host, message.text, news);
  return message;
}

}  // namespace bench
