#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Text in a terminal of fixed-width cells. Strings are UTF-8; bytes that are not are shown as '?'.

// Cells that `text` takes: 0 for a combining mark, 2 for a wide (East Asian, emoji) character.
int display_width(std::string_view text);

// Without control characters, which a stored message could use to write over the screen.
std::string printable(std::string_view text);

// At most `width` cells, the cut marked by "...".
std::string ellipsis(std::string_view text, int width);

// Lines of at most `width` cells, broken at spaces where there are any; the first is
// preceded by nothing, the others by `indent` spaces.
std::vector<std::string> wrap(std::string_view text, int width, int indent);

enum class Align { left, right };
std::string pad(std::string_view text, int width, Align align);

enum class Style { plain, bold, dim, good, bad };
// With the escape sequences of the style, or as it is when `colour` is off.
std::string styled(const std::string& text, Style style, bool colour);

// A reason that came from outside (the body of an error, the end of a log), cut to a few lines.
std::string short_reason(const std::string& reason);

// A point of a workload: "single_stream context 4k"; where the workload is named as its axis, the
// point alone: "concurrency 8".
std::string place_text(const std::string& workload, const std::string& point);

}  // namespace bench
