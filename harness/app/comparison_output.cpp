#include "harness/app/comparison_output.h"

#include <algorithm>
#include <array>
#include <iostream>

#include "dashboards/comparison_markdown.h"
#include "dashboards/comparison_terminal.h"
#include "harness/app/report_of.h"
#include "harness/error.h"
#include "harness/format.h"
#include "results/comparison_export.h"

namespace bench {
namespace {

constexpr std::array<std::string_view, 5> kFormats{"text", "markdown", "json", "csv", "junit"};

std::string format_of(const Arguments& arguments) {
  return arguments.get("format").value_or("text");
}

std::string rendered(const Comparison& comparison, const Arguments& arguments) {
  TerminalOptions options = detect_terminal();
  if (arguments.get("output")) options = {};
  if (arguments.has("all")) options.detail = Detail::full;
  return comparison_text(comparison, options);
}

}  // namespace

std::vector<Flag> comparison_flags() {
  return {
      {"format", "FORMAT", format("{}; else text", join(kFormats, ", "))},
      {"output", "FILE", "write there instead of to standard output"},
      {"all", "", "list the unchanged cases too (text)"},
      {"across-machines", "", "compare different machines all the same, and mark it"},
      {"db", "FILE", "results database (else BENCH_DB, else results/bench.db)"},
  };
}

void check_format(const Arguments& arguments) {
  const std::string name = format_of(arguments);
  if (std::ranges::find(kFormats, name) == kFormats.end()) {
    fail_usage(format("--format: '{}' is none of {}", name, join(kFormats, ", ")));
  }
}

void write_comparison(const Comparison& comparison, const Arguments& arguments, bool strict) {
  const std::string name = format_of(arguments);
  std::string text;
  if (name == "text") text = rendered(comparison, arguments);
  if (name == "markdown") text = comparison_markdown(comparison);
  if (name == "json") text = comparison_json(comparison);
  if (name == "csv") text = comparison_csv(comparison);
  if (name == "junit") text = comparison_junit(comparison, strict);
  if (const auto file = arguments.get("output")) {
    write_file(*file, text);
  } else {
    std::cout << text;
  }
}

}  // namespace bench
