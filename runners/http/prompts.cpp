#include "runners/http/prompts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "kernels/random.h"

namespace bench {
namespace {

constexpr std::array<std::string_view, 64> kVocabulary = {
    "time",  "year",   "people", "way",    "day",   "man",  "thing",  "woman", "life",  "child",
    "world", "school", "state",  "family", "hand",  "part", "place",  "case",  "week",  "work",
    "point", "group",  "number", "night",  "water", "room", "mother", "area",  "money", "story",
    "fact",  "month",  "lot",    "right",  "study", "book", "eye",    "job",   "word",  "side",
    "kind",  "head",   "house",  "power",  "hour",  "game", "line",   "end",   "law",   "car",
    "city",  "name",   "team",   "minute", "idea",  "body", "back",   "face",  "door",  "war",
    "party", "result", "change", "reason"};

constexpr std::int64_t kSharedStream = -1;

// The word of randomness at one place of one prompt; the shared part is a stream of its own.
class PromptRandom {
 public:
  PromptRandom(const PromptSpec& spec, std::int64_t serial)
      : shared_(hash64(spec.seed, static_cast<std::uint64_t>(kSharedStream))),
        own_(hash64(spec.seed, static_cast<std::uint64_t>(serial))),
        shared_tokens_(spec.shared_tokens) {}
  [[nodiscard]] std::uint64_t at(std::int64_t place) const {
    return hash64(place < shared_tokens_ ? shared_ : own_, static_cast<std::uint64_t>(place));
  }

 private:
  std::uint64_t shared_;
  std::uint64_t own_;
  std::int64_t shared_tokens_;
};

}  // namespace

std::vector<std::int32_t> prompt_ids(const PromptSpec& spec, std::int64_t serial) {
  const PromptRandom random(spec, serial);
  const auto range = static_cast<std::uint64_t>(std::max(spec.highest_id - spec.lowest_id, 1));
  std::vector<std::int32_t> ids(static_cast<std::size_t>(spec.tokens));
  for (std::int64_t i = 0; i < spec.tokens; ++i) {
    // Multiply and shift instead of a remainder: no bias worth the name, and faster.
    const std::uint64_t draw = ((random.at(i) >> 32) * range) >> 32;
    ids[static_cast<std::size_t>(i)] = spec.lowest_id + static_cast<std::int32_t>(draw);
  }
  return ids;
}

std::string prompt_text(const PromptSpec& spec, std::int64_t serial) {
  const PromptRandom random(spec, serial);
  std::string text;
  for (std::int64_t i = 0; i < spec.tokens; ++i) {
    if (i > 0) text += ' ';
    text += kVocabulary[random.at(i) >> 58];
  }
  return text;
}

std::int64_t words_for(std::int64_t tokens, std::int64_t few_words, std::int64_t few_tokens,
                       std::int64_t many_words, std::int64_t many_tokens) {
  if (many_words <= few_words || many_tokens <= few_tokens)
    return std::max<std::int64_t>(tokens, 1);
  const double per_word =
      static_cast<double>(many_tokens - few_tokens) / static_cast<double>(many_words - few_words);
  const double words =
      static_cast<double>(few_words) + static_cast<double>(tokens - few_tokens) / per_word;
  return std::max<std::int64_t>(std::llround(words), 1);
}

}  // namespace bench
