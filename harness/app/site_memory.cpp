#include "harness/app/site_memory.h"

#include <fstream>
#include <sstream>

#include "harness/app/report_of.h"
#include "harness/error.h"
#include "results/json.h"
#include "results/json_writer.h"

namespace bench {
namespace {

constexpr std::int64_t kVersion = 1;

std::optional<Word> word_from(const std::string& text) {
  for (const Word word : {Word::improved, Word::regressed, Word::unchanged, Word::inconclusive,
                          Word::missing, Word::invalid}) {
    if (text == to_string(word)) return word;
  }
  return std::nullopt;
}

}  // namespace

void SiteMemory::load() {
  std::ifstream file(file_);
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) return;
  try {
    const Json json = Json::parse(text.str(), file_.string());
    if (json.at("version").count() != kVersion) return;
    for (const Json& run : json.at("runs").items()) {
      Said& said = said_[run.at("key").text()];
      said = {.verdict = run.at("verdict").text(), .worst = run.at("worst").text(), .warnings = {}};
      for (const Json& warning : run.at("warnings").items()) {
        said.warnings.push_back(warning.text());
      }
    }
  } catch (const Error&) {
    said_.clear();
  }
}

bool SiteMemory::recall(const std::string& key, SiteRun& run) {
  const auto known = said_.find(key);
  if (known == said_.end()) return false;
  Said& said = known->second;
  said.used = true;
  run.verdict = said.verdict;
  run.worst = word_from(said.worst);
  run.run.warnings = said.warnings;
  return true;
}

void SiteMemory::keep(const std::string& key, const SiteRun& run) {
  said_[key] = {.verdict = run.verdict,
                .worst = run.worst ? std::string(to_string(*run.worst)) : std::string(),
                .warnings = run.run.warnings,
                .used = true};
}

void SiteMemory::save() const {
  JsonWriter out;
  out.begin_object().member("version", kVersion).key("runs").begin_array();
  for (const auto& [key, said] : said_) {
    if (!said.used) continue;
    out.new_line().begin_object();
    out.member("key", key).member("verdict", said.verdict).member("worst", said.worst);
    out.key("warnings").begin_array();
    for (const std::string& warning : said.warnings) out.value(warning);
    out.end_array().end_object();
  }
  out.end_array().end_object();
  write_file(file_.string(), out.take());
}

}  // namespace bench
