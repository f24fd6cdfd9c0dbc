#include "dashboards/html.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dashboards/text.h"
#include "harness/error.h"
#include "harness/markup.h"

namespace bench {
namespace {

// Their end may be omitted before a sibling or the end of the parent, the only places we use them.
constexpr std::array<std::string_view, 6> kImplied{"td", "th", "tr", "li", "dt", "dd"};

// As nearly all text does: writing it is most of what a page costs.
bool stands_for_itself(char c) {
  return c >= 0x20 && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

}  // namespace

std::string escape_html(std::string_view text) { return escape_markup(printable(text)); }

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  return out;
}

void Html::start(std::string_view tag, Attributes attributes) {
  out_ += '<';
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    write(value);
    out_ += '"';
  }
}

void Html::write(std::string_view text) {
  if (std::ranges::all_of(text, stands_for_itself)) {
    out_ += text;
  } else {
    out_ += escape_html(text);
  }
}

Html& Html::open(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += '>';
  open_.emplace_back(tag);
  return *this;
}

Html& Html::close() {
  if (open_.empty()) fail("report: closed an element that was not open");
  if (std::ranges::find(kImplied, open_.back()) == kImplied.end())
    out_ += "</" + open_.back() + '>';
  open_.pop_back();
  return *this;
}

Html& Html::text(std::string_view content) {
  write(content);
  return *this;
}

Html& Html::element(std::string_view tag, std::string_view content, Attributes attributes) {
  return open(tag, attributes).text(content).close();
}

Html& Html::empty(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += "/>";
  return *this;
}

Html& Html::markup(std::string_view trusted) {
  out_ += trusted;
  return *this;
}

Html& Html::line() {
  out_ += '\n';
  return *this;
}

std::string Html::take() {
  if (!open_.empty()) fail("report: <" + open_.back() + "> was left open");
  return std::exchange(out_, {});
}

}  // namespace bench
