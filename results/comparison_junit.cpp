#include <algorithm>
#include <string>
#include <string_view>

#include "harness/format.h"
#include "harness/markup.h"
#include "results/comparison_export.h"

namespace bench {
namespace {

// XML text: markup escaped, characters that XML 1.0 does not allow replaced.
std::string xml(std::string_view text) {
  std::string allowed(text);
  std::ranges::replace_if(
      allowed,
      [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; }, '?');
  return escape_markup(allowed);
}

// The element that says how the test case ended; empty: it passed.
std::string_view element_of(Word word, bool strict) {
  switch (word) {
    case Word::regressed:
      return "failure";
    case Word::missing:
    case Word::invalid:
      return "error";
    case Word::inconclusive:
      return strict ? "error" : "skipped";
    case Word::improved:
    case Word::unchanged:
      break;
  }
  return "";
}

std::string test_case(const Row& row, bool strict) {
  const std::string versus = row.baseline_variant == row.what.variant
                                 ? std::string()
                                 : format(" against {}", row.baseline_variant);
  const std::string name = format("{} {}{} {}", row.label, row.what.variant, versus, row.metric);
  const std::string_view element = element_of(row.verdict.word, strict);
  std::string out =
      format("    <testcase classname=\"{}\" name=\"{}\"", xml(row.workload), xml(name));
  if (element.empty()) return out + "/>\n";
  std::string figures;
  if (row.evidence) {
    figures = format(" ({} -> {})", row.evidence->baseline, row.evidence->candidate);
  }
  const std::string message =
      format("{}: {}{}", to_string(row.verdict.word), row.verdict.reason, figures);
  return out + format(">\n      <{} message=\"{}\"/>\n    </testcase>\n", element, xml(message));
}

}  // namespace

std::string comparison_junit(const Comparison& comparison, bool strict) {
  std::int64_t failures = 0;
  std::int64_t errors = comparison.refused.empty() ? 0 : 1;
  std::int64_t skipped = 0;
  std::string cases;
  for (const Row& row : comparison.rows) {
    const std::string_view element = element_of(row.verdict.word, strict);
    failures += element == "failure" ? 1 : 0;
    errors += element == "error" ? 1 : 0;
    skipped += element == "skipped" ? 1 : 0;
    cases += test_case(row, strict);
  }
  if (!comparison.refused.empty()) {
    cases += format(
        "    <testcase classname=\"comparison\" name=\"environment\">\n"
        "      <error message=\"refused: {}\"/>\n    </testcase>\n",
        xml(comparison.refused));
  }
  const std::int64_t tests = std::ssize(comparison.rows) + (comparison.refused.empty() ? 0 : 1);
  return format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"bench compare {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      xml(comparison.candidate.name), tests, failures, errors, skipped, cases);
}

}  // namespace bench
