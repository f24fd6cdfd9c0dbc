#include <algorithm>

#include "dashboards/numbers.h"
#include "dashboards/text.h"
#include "dashboards/trace_summary.h"
#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

constexpr std::size_t kNameWidth = 60;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

std::string bytes_text(const KernelRow& row) {
  if (row.work.bytes() == 0) return "";
  return format("{}{}", row.work.inferred ? "~" : "",
                format_bytes(static_cast<double>(row.work.bytes()) * row.count));
}

std::string kernel_rate_text(const KernelRow& row, double peak) {
  if (row.work.bytes() == 0 || peak <= 0) return "";
  return percent_of(row.bytes_per_s() / peak);
}

}  // namespace

std::string short_kernel_name(const std::string& name, std::size_t width) {
  std::string text = name;
  for (const char* noise : {"void ", "at::native::", "(anonymous namespace)::", "c10::",
                            "(at::TensorIteratorBase&)", "::operator()() const", "std::"}) {
    replace_all(text, noise, "");
  }
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {  // the parameters: the first ( outside of <>
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0 && i > 0) text.resize(i);
  }
  return ellipsis(printable(text), static_cast<int>(width));
}

std::string trace_kernel_table(const TraceAnalysis& a) {
  std::string out =
      format("\n{:>9} {:>6} {:>7} {:>9} {:>10} {:>6}  {:<16} {}\n", "ms a step", "%", "a step",
             "us each", "bytes", "peak", "what", "kernel (operator, grid x block)");
  for (const KernelRow& row : a.rows) {
    const auto& [x, y, z] = row.shape.grid;
    const std::string grid =
        x == 0 ? ""
               : format(", {}x{}x{} x {}", x, y, z,
                        row.shape.block[0] * row.shape.block[1] * row.shape.block[2]);
    out += format(
        "{:>9} {:>6.2f} {:>7} {:>9} {:>10} {:>6}  {:<16} {} ({}{})\n", milliseconds(row.seconds),
        row.share * 100, significant(row.count, 3), significant(row.seconds / row.count * 1e6),
        bytes_text(row), kernel_rate_text(row, a.peak_bytes_per_s), title_of(row.category),
        short_kernel_name(row.name, kNameWidth), row.op.empty() ? "-" : printable(row.op), grid);
  }
  return out;
}

}  // namespace bench
