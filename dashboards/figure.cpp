#include "dashboards/figure.h"

#include <array>

#include "harness/format.h"

namespace bench {
namespace {

constexpr std::array kShapes{"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                             "M-3.6 -3.6h7.2v7.2h-7.2z",
                             "M0 -4.8L4.6 3.6h-9.2z",
                             "M0 -5L5 0L0 5L-5 0z",
                             "M0 4.8L4.6 -3.6h-9.2z",
                             "M-1.4 -4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z",
                             "M-4.4 -2.6h8.8v5.2h-8.8z",
                             "M-2.4 -4.6h4.8l2.4 4.6l-2.4 4.6h-4.8l-2.4 -4.6z"};

void draw_sign(const LegendEntry& entry, Html& page) {
  using Sign = LegendEntry::Sign;
  page.open("svg", {{"viewBox", "-14 -7 28 14"}, {"aria-hidden", "true"}});
  if (entry.sign == Sign::line || entry.sign == Sign::dashed || entry.sign == Sign::plain) {
    const std::string dash = entry.sign == Sign::dashed ? " dashed" : "";
    page.empty("path", {{"class", "ln " + look_class(entry.look) + dash}, {"d", "M-14 0H14"}});
  }
  if (entry.sign == Sign::area) {
    page.empty("path",
               {{"class", "bar pt " + look_class(entry.look)}, {"d", "M-12 -6h24v12h-24z"}});
  }
  if (entry.sign == Sign::line || entry.sign == Sign::mark) draw_mark(entry.look, 0, 0, "", page);
  page.close();
}

}  // namespace

std::string px(double value) {
  std::string text = format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string look_class(std::size_t look) { return format("k{}", look % kShapes.size()); }

void draw_mark(std::size_t look, double x, double y, const std::string& note, Html& page) {
  page.open("use", {{"class", "pt " + look_class(look)},
                    {"href", format("#m{}", look % kShapes.size())},
                    {"x", px(x)},
                    {"y", px(y)}});
  if (!note.empty()) page.element("title", note);
  page.close();
}

void draw_mark_shapes(Html& page) {
  page.open("svg", {{"class", "shapes"}, {"aria-hidden", "true"}}).open("defs");
  for (std::size_t look = 0; look < kShapes.size(); ++look) {
    page.empty("path", {{"id", format("m{}", look)}, {"d", kShapes[look]}});
  }
  page.close().close().line();
}

void open_figure(const std::string& title, const std::string& description, double height,
                 Html& page, double width) {
  page.open("figure").element("h3", title);
  page.open("div", {{"class", "plot"},
                    {"tabindex", "0"},
                    {"role", "group"},
                    {"aria-label", title + ": a chart, the arrow keys read its values"}});
  page.open("svg", {{"viewBox", format("0 0 {} {}", px(width), px(height))},
                    {"role", "img"},
                    {"aria-label", description}});
}

void close_figure(const std::vector<LegendEntry>& legend, const std::string& caption, Html& page) {
  page.close().close();
  if (!legend.empty()) page.open("ul", {{"class", "legend"}});
  for (const LegendEntry& entry : legend) {
    page.open("li");
    draw_sign(entry, page);
    page.text(entry.name).close();
  }
  if (!legend.empty()) page.close();
  if (!caption.empty()) page.element("figcaption", caption);
  page.close().line();
}

void draw_text(const std::string& text, std::string_view css, double x, double y, Anchor anchor,
               Html& page) {
  const char* const anchors[] = {"start", "middle", "end"};
  page.element("text", text,
               {{"class", std::string(css)},
                {"x", px(x)},
                {"y", px(y)},
                {"text-anchor", anchors[static_cast<int>(anchor)]}});
}

}  // namespace bench
