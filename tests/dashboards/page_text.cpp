#include "tests/dashboards/page_text.h"

#include <gtest/gtest.h>

namespace bench::testing {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

std::string table_text(const std::string& html) {
  std::string text;
  bool inside = false;
  for (std::size_t at = 0; at < html.size(); ++at) {
    if (html[at] != '<') {
      if (inside && html[at] != '\n') text += html[at];
      continue;
    }
    const std::string tag = html.substr(at + 1, html.find_first_of(" >", at) - at - 1);
    if (tag == "table") inside = true;
    if (tag == "/table") inside = false;
    if (inside && tag == "tr") text += '\n';
    if (inside && (tag == "td" || tag == "th")) text += " | ";
    at = html.find('>', at);
  }
  return text;
}

void expect_loads_nothing(const std::string& html) {
  for (const char* scheme : {"http://", "https://", "ws://", "wss://", "//cdn", "url(", "@import",
                             "src=", "<link", "<iframe"}) {
    EXPECT_EQ(count(html, scheme), 0U) << scheme;
  }
  EXPECT_EQ(count(html, "default-src &#39;none&#39;; connect-src &#39;none&#39;"), 1U);
}

void expect_no_markup_of(const std::string& attack, const std::string& html) {
  EXPECT_GE(count(html, "&lt;img src=x"), 1U) << "the page does not show the text: " << attack;
  EXPECT_EQ(count(html, "<script"), 2U);
  EXPECT_EQ(count(html, "</script"), 2U);
  EXPECT_EQ(count(html, "<img"), 0U);
  EXPECT_EQ(count(html, "\" onload=\""), 0U);
}

}  // namespace bench::testing
