#include <gtest/gtest.h>

#include <string>

#include "tests/workloads/test_plan.h"

namespace bench {
namespace {

struct BadYaml {
  std::string text;
  std::string message;
};

TEST(BadYaml, IsRefusedWithItsPlaceAndWhatWouldBeRight) {
  const BadYaml files[] = {
      {"", "x.yaml: empty (see configs/quickstart.yaml)"},
      {"# nothing\n", "x.yaml: empty (see configs/quickstart.yaml)"},
      {"a", "x.yaml:1:1: expected 'key: value' lines"},
      {"- a\n- b\n", "x.yaml:1:1: expected 'key: value' lines"},
      {"a: 1\na: 2\n", "x.yaml:2:1: key 'a' is there already, in line 1"},
      {"name: a: b\n", "x.yaml:1:8: a ':' cannot stand here (quote the text, or indent it)"},
      {"name: [a, b\n", "x.yaml:2:1: expected ',' or ']' (the list began in line 1, column 7)"},
      {"name: {a: b\n", "x.yaml:2:1: expected ',' or '}' (the map began in line 1, column 7)"},
      {"name:\n\ta: 1\n", "x.yaml:2:3: a tab in the indentation (use spaces)"},
      {"name: \"x\n", "x.yaml:1:7: the quote \" is not closed"},
      {"name: 'it''s\n", "x.yaml:1:7: the quote ' is not closed"},
      {"name: &x 1\nmodel: *y\n", "x.yaml:2:8: not YAML: the referenced anchor is not defined"},
      {"name: &x [*x]\n", "x.yaml:1:11: an alias inside its own anchor"},
      {"name: !!str x\n", "x.yaml:1:7: the tag 'tag:yaml.org,2002:str' (values have no tags here)"},
      {"<<: {a: 1}\n", "x.yaml:1:1: merge keys ('<<') are not supported (use 'defaults:')"},
      {"? [a]\n: b\n", "x.yaml:1:3: a key must be a word"},
      {"a: 1\n---\nb: 1\n", "x.yaml:2:1: a second document (a file holds one)"},
      {"workloads:\n  w:\n    runner: kernel\n   variants: [a]\n",
       "x.yaml:4:4: indented unlike the lines before it"},
      {"workloads:\n  - w\n  v: 1\n", "x.yaml:3:3: indented unlike the lines before it"},
      {"name: @x\n", "x.yaml:1:7: a value cannot begin so (quote it)"},
      {"name: \"\\q\"\n", "x.yaml:1:10: not YAML: unknown escape character: q"},
      {"name: \"x\" y\n", "x.yaml:1:11: unexpected text after a value"},
      {"name: {context:[1k]}\n",
       "x.yaml:1:16: expected ',' or '}' (the map began in line 1, column 7)"},
      {"\303\251\303\251: \"\303\251\" \303\251\n", "x.yaml:1:9: unexpected text after a value"},
      {"name: %x\n", "x.yaml:1:7: a value cannot begin so (quote it)"},
      {"name: a\033b\n", "x.yaml:1:8: byte 0x1b is not UTF-8 text"},
  };
  for (const BadYaml& file : files) EXPECT_EQ(complaint(file.text), file.message) << file.text;
}

// The place is counted in characters, as editors do, and not in bytes.
TEST(BadYaml, CountsColumnsInCharacters) {
  EXPECT_EQ(complaint("name: [\"\303\251\303\251\", {]\n"),
            "x.yaml:1:15: a ']' or '}' that closes nothing");
}

TEST(BadYaml, IsQuotedOnOneLine) {
  EXPECT_EQ(complaint("name: \"a\\nb\"\n" + kWorkload),
            "x.yaml:1:7: name 'a b': a name is made of letters, digits and '_-.'");
}

TEST(BadYaml, IsNoUtf8) {
  EXPECT_EQ(complaint(std::string("name: a\0b\n", 10)), "x.yaml:1:8: byte 0x00 is not UTF-8 text");
  EXPECT_EQ(complaint("name: \377\376\n"), "x.yaml:1:7: byte 0xff is not UTF-8 text");
  EXPECT_EQ(complaint("\377\376n\0"), "x.yaml:1:1: byte 0xff is not UTF-8 text") << "UTF-16";
  EXPECT_EQ(complaint("a: \300\200"), "x.yaml:1:4: byte 0xc0 is not UTF-8 text") << "overlong";
  EXPECT_EQ(complaint("a: \355\240\200"), "x.yaml:1:4: byte 0xed is not UTF-8 text") << "surrogate";
  EXPECT_EQ(complaint("a: \360\237\230"), "x.yaml:1:4: byte 0xf0 is not UTF-8 text") << "cut off";
  EXPECT_EQ(complaint("# \360\237\230\200 \342\202\254\n" + kWorkload), "");
}

TEST(BadYaml, MayHaveAByteOrderMarkAndCarriageReturns) {
  EXPECT_EQ(complaint("\357\273\277" + kWorkload), "");
  EXPECT_EQ(complaint("\357\273\277name: [x]\n"),
            "x.yaml:1:7: name: expected a single value, got a list");
  EXPECT_EQ(complaint("workloads:\r\n  w: {runner: kernel, variants: [a]}\r\n"), "");
  EXPECT_EQ(complaint("name: x\r\nnmae: y\r\n"),
            "x.yaml:2:1: unknown key 'nmae' (did you mean 'name'?)");
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(BadYaml, IsRefusedWhenNestedDeeply) {
  const std::string deep = "nested more than 32 levels deep";
  EXPECT_EQ(complaint(repeated("[", 100'000)), "x.yaml:1:17: " + deep);
  EXPECT_EQ(complaint(repeated("{a: ", 100'000)), "x.yaml:1:125: " + deep);
  EXPECT_EQ(complaint(repeated("- ", 100'000)), "x.yaml:1:65: " + deep);
  EXPECT_EQ(complaint(repeated("? ", 100'000)), "x.yaml:1:65: " + deep);
}

TEST(BadYaml, IsRefusedWhenLarge) {
  EXPECT_EQ(complaint("name: " + repeated("x", 1 << 20)), "x.yaml: longer than 1048576 bytes");
  EXPECT_EQ(complaint("name: [" + repeated("x,", 200'000) + "]"),
            "x.yaml:1:200002: more than 100000 values in one file");
}

// Nine levels of nine references each would be 400 million values.
TEST(BadYaml, IsRefusedWhenAliasesExplode) {
  std::string bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string alias = "*l" + std::to_string(level - 1);
    bomb += "l" + std::to_string(level) + ": &l" + std::to_string(level) + " [" + alias +
            repeated(", " + alias, 8) + "]\n";
  }
  EXPECT_EQ(complaint(bomb), "x.yaml:6:10: more than 100000 values in one file");
}

TEST(BadYaml, IsNotQuotedAtLength) {
  const std::string long_value(5000, '9');
  const std::string said = complaint("defaults: {layers: " + long_value + "}\nworkloads: {}\n");
  EXPECT_EQ(said.find("x.yaml:1:20: layers: '999"), 0u);
  EXPECT_TRUE(said.ends_with("999' is not a count (write 495552, 4k, 1.5M)") ||
              said.ends_with("999' is too large"))
      << said;
  EXPECT_LT(said.size(), 500u);
}

TEST(BadYaml, MayHoldAFewAliases) {
  const Plan plan = plan_of(
      "defaults: {runner: kernel, variants: &all [a, b]}\n"
      "workloads: {v: {variants: *all}, w: {variants: [c]}}\n");
  EXPECT_EQ(plan.workloads[0].variants, (std::vector<std::string>{"a", "b"}));
}

std::string file_complaint(const std::string& path) {
  try {
    load_plan(path, test_options());
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.what();
  }
  return "";
}

TEST(BadFile, IsNamed) {
  EXPECT_EQ(file_complaint("/no/such.yaml"), "/no/such.yaml: No such file or directory");
  EXPECT_EQ(file_complaint(kSourceTree), kSourceTree + ": is a folder (name a .yaml file in it)");
  EXPECT_EQ(file_complaint("/dev/null"), "/dev/null: empty (see configs/quickstart.yaml)");
  EXPECT_EQ(file_complaint("/dev/zero"), "/dev/zero: longer than 1048576 bytes");
  EXPECT_EQ(file_complaint("/proc/self/exe"), "/proc/self/exe: longer than 1048576 bytes");
  EXPECT_EQ(file_complaint(kSourceTree + "/README.md").find(kSourceTree), 0u);
}

}  // namespace
}  // namespace bench
