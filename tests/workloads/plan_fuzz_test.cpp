// Mutations of a real configuration: each must load, or be refused with one Error of exit 2 and one
// line. The seed is fixed, so a failure repeats.
#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

constexpr int kMutants = 3000;

// What breaks parsers: structure, numbers at the edge, bytes that are no text.
constexpr std::array<std::string_view, 36> kTokens{
    "{",  "}",   "[",   "]",   ":",   ": ",    ",",     "\n", "  ",   "\t", "- ",    "? ",
    "&a", "*a",  "!!x", "|\n", ">\n", "\"",    "'",     "#",  "%",    "@",  "---\n", "...\n",
    "~",  "<<:", "\\",  "0",   "-1",  "9e999", "1e-99", "4k", "${X}", "${", "\377",  "\r\n"};

class Mutator {
 public:
  explicit Mutator(std::string text) : text_(std::move(text)) {}

  std::string mutant(std::uint64_t seed) {
    random_.seed(seed);
    std::string out = text_;
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) change(out);
    return out;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string& out) {
    const std::size_t at = below(out.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(out.size() - at, 40) + 1);
    switch (below(6)) {
      case 0:
        out.erase(at, length);
        break;
      case 1:
        out.insert(at, out.substr(below(out.size()), length));
        break;
      case 2:
        out.resize(at);
        break;
      case 3:
        if (at < out.size()) out[at] = static_cast<char>(random_());
        break;
      default:
        out.insert(at, kTokens[below(kTokens.size())]);
        break;
    }
  }

  std::string text_;
  std::mt19937_64 random_;
};

std::string shipped_text(const std::string& name) {
  std::ifstream file(kSourceTree + "/configs/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(PlanFuzz, LoadsAMutantOrRefusesItInOneLine) {
  Mutator mutator(shipped_text("glm5.yaml"));
  int refused = 0;
  for (int seed = 0; seed < kMutants; ++seed) {
    const std::string text = mutator.mutant(static_cast<std::uint64_t>(seed));
    std::string message;
    try {
      plan_of(text);
      continue;
    } catch (const Error& error) {
      ++refused;
      message = error.what();
      EXPECT_EQ(error.exit(), Exit::usage) << text;
    }
    EXPECT_EQ(message.find("x.yaml"), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_GT(refused, kMutants / 4);
  EXPECT_LT(refused, kMutants);
}

TEST(PlanFuzz, StoresASourceThatReadsBackAsTheSamePlan) {
  Mutator mutator(shipped_text("glm5.yaml"));
  PlanOptions options = test_options();
  options.set = {"replicates=2"};
  for (int seed = 0; seed < kMutants / 20; ++seed) {
    Plan plan;
    try {
      plan = plan_of(mutator.mutant(static_cast<std::uint64_t>(seed)), options);
    } catch (const Error&) {
      continue;
    }
    const Plan again = plan_of(plan.source);
    ASSERT_EQ(again.workloads.size(), plan.workloads.size()) << plan.source;
    for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
      ASSERT_EQ(again.workloads[w].points.size(), plan.workloads[w].points.size()) << plan.source;
      EXPECT_EQ(again.workloads[w].variants, plan.workloads[w].variants) << plan.source;
    }
  }
}

}  // namespace
}  // namespace bench
