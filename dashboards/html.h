#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

// Writes HTML and SVG. Text and attribute values are escaped, always; markup comes only from the
// calls themselves and from markup(), which takes what bench itself ships. Bytes that are no UTF-8
// and control characters are replaced. End tags that HTML implies (</td>, </tr>, </li>, ...) are
// left out: a large table is a fifth smaller.
class Html {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  Html& open(std::string_view tag, Attributes attributes = {});
  Html& close();  // the innermost open element
  Html& text(std::string_view content);
  Html& element(std::string_view tag, std::string_view content, Attributes attributes = {});
  Html& empty(std::string_view tag, Attributes attributes = {});  // <meta ...>, <circle .../>
  Html& markup(std::string_view trusted);
  Html& line();  // a line break in the source, so that a diff of two reports can be read

  [[nodiscard]] std::string take();  // everything written; every element must be closed

 private:
  void start(std::string_view tag, Attributes attributes);
  void write(std::string_view text);  // escaped

  std::string out_;
  std::vector<std::string> open_;
};

std::string escape_html(std::string_view text);

// Letters, digits and '-' only, for ids and fragments: "context 4k" -> "context-4k".
std::string slug(std::string_view text);

}  // namespace bench
