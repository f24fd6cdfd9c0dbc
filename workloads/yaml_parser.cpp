// The only place that knows yaml-cpp. Its events are turned into our own tree, so that limits hold
// while it parses and every node knows where it stands.
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "harness/format.h"
#include "workloads/utf8.h"
#include "workloads/yaml.h"

namespace bench {
namespace {

using Kind = Yaml::Kind;

// Text with a way from yaml-cpp's marks (bytes, from 0) to what an editor shows.
class Source {
 public:
  // Without positions every node is simply at `whole`.
  Source(std::string_view text, Where whole, bool positions)
      : text_(text), whole_(std::move(whole)), positions_(positions) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (continues_character(text[at])) continuations_.push_back(at);
    }
  }

  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] std::size_t offset(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
  }

  [[nodiscard]] Where where(const YAML::Mark& mark) const {
    if (!positions_) return whole_;
    const std::size_t end = offset(mark);
    const std::size_t begin =
        end - std::min(end, static_cast<std::size_t>(std::max(mark.column, 0)));
    const auto hidden = std::ranges::lower_bound(continuations_, end) -
                        std::ranges::lower_bound(continuations_, begin);
    return {whole_.source, std::max(mark.line, 0) + 1,
            static_cast<int>(end - begin) - static_cast<int>(hidden) + 1};
  }

  // yaml-cpp takes the end of the text for a closing quote.
  void check_quote(const YAML::Mark& mark) const {
    const std::size_t begin = offset(mark);
    const char quote = begin < text_.size() ? text_[begin] : ' ';
    if (quote != '"' && quote != '\'') return;
    const std::string_view escape = quote == '"' ? "\\" : "''";
    for (std::size_t at = begin + 1; at < text_.size(); ++at) {
      if (text_.substr(at).starts_with(escape)) {
        ++at;
      } else if (text_[at] == quote) {
        return;
      }
    }
    complain(where(mark), format("the quote {} is not closed", quote));
  }

 private:
  std::string_view text_;
  Where whole_;
  bool positions_;
  std::vector<std::size_t> continuations_;  // bytes that begin no character
};

std::size_t size_of(const Yaml& node) {
  std::size_t size = 1;
  for (const auto& item : node.items) size += size_of(item);
  for (const auto& entry : node.entries) size += size_of(entry.value);
  return size;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Source& source) : source_(source) {}

  Yaml take() { return std::move(root_); }
  [[nodiscard]] const Yaml* innermost() const {
    return open_.empty() ? nullptr : &open_.back().node;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) complain(source_.where(mark), "a second document (a file holds one)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(made(Kind::null, mark, "?"), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) complain(source_.where(mark), "an alias inside its own anchor");
    count(size_of(known->second), source_.where(mark));
    add(known->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Yaml node = made(Kind::scalar, mark, tag);
    node.text = text;
    node.quoted = tag == "!";
    if (node.quoted) source_.check_quote(mark);
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(made(Kind::list, mark, tag), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(made(Kind::map, mark, tag), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Yaml node;
    YAML::anchor_t anchor = 0;
    bool value_due = false;            // a map's last entry waits for its value
    std::map<std::string, int> lines;  // of a map's keys
  };

  void count(std::size_t nodes, const Where& where) {
    nodes_ += nodes;
    if (nodes_ > kYamlNodes) complain(where, format("more than {} values in one file", kYamlNodes));
  }

  Yaml made(Kind kind, const YAML::Mark& mark, const std::string& tag) {
    const Where where = source_.where(mark);
    count(1, where);
    if (!tag.empty() && tag != "?" && tag != "!") {
      complain(where, format("the tag '{}' (values have no tags here)", tag));
    }
    return {.kind = kind, .where = where, .text = {}, .quoted = false, .items = {}, .entries = {}};
  }

  void open(Yaml node, YAML::anchor_t anchor) {
    if (open_.size() == kYamlDepth) {
      complain(node.where, format("nested more than {} levels deep", kYamlDepth));
    }
    open_.push_back({.node = std::move(node), .anchor = anchor, .value_due = false, .lines = {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  void add(Yaml node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (Open& parent = open_.back(); parent.node.kind == Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (std::exchange(parent.value_due, !parent.value_due)) {
      YamlEntry& entry = parent.node.entries.back();
      if (node.kind == Kind::null) node.where = entry.where;  // yaml-cpp: where the next thing is
      entry.value = std::move(node);
    } else {
      add_key(parent, node);
    }
  }

  static void add_key(Open& parent, const Yaml& key) {
    if (key.kind != Kind::scalar) complain(key.where, "a key must be a word");
    if (key.text == "<<" && !key.quoted) {
      complain(key.where, "merge keys ('<<') are not supported (use 'defaults:')");
    }
    const auto [earlier, fresh] = parent.lines.emplace(key.text, key.where.line);
    if (!fresh) {
      complain(key.where,
               format("key '{}' is there already{}", key.text,
                      key.where.line == 0 ? "" : format(", in line {}", earlier->second)));
    }
    parent.node.entries.push_back({.key = key.text, .where = key.where, .value = {}});
  }

  const Source& source_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  Yaml root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Yaml> anchors_;
};

// The line of a place, up to that place.
std::string_view line_before(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return before.substr(before.rfind('\n') + 1);
}

// yaml-cpp's complaint in words that say what would be right.
std::string explain(const YAML::Exception& error, const Source& source, const Yaml* innermost) {
  const std::string& what = error.msg;
  const std::string_view before = line_before(source.text(), source.offset(error.mark));
  const std::size_t begin = before.find_first_not_of(" \t");
  const bool first = begin == std::string_view::npos;
  if (before.substr(0, begin).find('\t') != std::string_view::npos) {
    return "a tab in the indentation (use spaces)";
  }
  if (innermost != nullptr && what.ends_with("flow not found")) {
    const bool list = innermost->kind == Kind::list;
    const Where& opened = innermost->where;
    const std::string since = format(" (the {} began in line {}, column {})", list ? "list" : "map",
                                     opened.line, opened.column);
    return format("expected ',' or '{}'{}", list ? ']' : '}', opened.line == 0 ? "" : since);
  }
  if (what == "illegal map value") return "a ':' cannot stand here (quote the text, or indent it)";
  if (what.starts_with("end of ")) {
    return first ? "indented unlike the lines before it" : "unexpected text after a value";
  }
  if (what == "illegal flow end") return "a ']' or '}' that closes nothing";
  if (what == "unknown token") return "a value cannot begin so (quote it)";
  if (what == "bad file") return format("nested more than {} levels deep", kYamlDepth);
  return "not YAML: " + what;
}

Yaml parse(const Source& source) {
  std::istringstream stream{std::string(source.text())};
  TreeBuilder builder(source);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    complain(source.where(error.mark), explain(error, source, builder.innermost()));
  }
  return builder.take();
}

void write(YAML::Emitter& out, const Yaml& node) {
  switch (node.kind) {
    case Kind::null:
      out << YAML::Null;
      return;
    case Kind::scalar:
      if (node.quoted) out << YAML::DoubleQuoted;
      out << node.text;
      return;
    case Kind::list:
      out << YAML::Flow << YAML::BeginSeq;
      for (const auto& item : node.items) write(out, item);
      out << YAML::EndSeq;
      return;
    case Kind::map:
      out << YAML::BeginMap;
      for (const auto& entry : node.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        write(out, entry.value);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

Yaml read_yaml(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Where whole{source, 0, 0};
  if (text.size() > kYamlBytes) complain(whole, format("longer than {} bytes", kYamlBytes));
  check_text(text, source);
  Yaml document = parse(Source(text, whole, true));
  if (document.kind == Kind::null) complain(whole, "empty (see configs/quickstart.yaml)");
  if (document.kind != Kind::map) complain(document.where, "expected 'key: value' lines");
  return document;
}

Yaml read_yaml_value(std::string_view text, const Where& where) {
  if (text.starts_with('[') || text.starts_with('{')) return parse(Source(text, where, false));
  Yaml scalar;
  scalar.kind = Kind::scalar;
  scalar.where = where;
  scalar.text = text;
  return scalar;
}

std::string write_yaml(const Yaml& document) {
  YAML::Emitter out;
  write(out, document);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace bench
