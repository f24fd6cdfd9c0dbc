#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

// Ids inside every current vocabulary and above most special ones (llama.cpp's own bench uses the
// same range).
inline constexpr std::int32_t kLowestId = 100;
inline constexpr std::int32_t kHighestId = 10000;

// What the prompts of one pass have in common. Equal numbers give equal prompts, on any machine.
struct PromptSpec {
  std::uint64_t seed = 0;  // of the pass
  std::int64_t tokens = 1;
  std::int64_t shared_tokens = 0;  // at the front of every prompt: what a prefix cache may hold
  std::int32_t lowest_id = kLowestId;
  std::int32_t highest_id = kHighestId;  // exclusive
};

// The prompt of one request: no two share more than `shared_tokens` of their beginning, except by
// the chance of drawing equal ids.
std::vector<std::int32_t> prompt_ids(const PromptSpec& spec, std::int64_t serial);

// The same of words, for routes that take text alone. A common word is one token in most
// vocabularies; what the server makes of it is read from its answer.
std::string prompt_text(const PromptSpec& spec, std::int64_t serial);

// Words that give `tokens` tokens, from two texts that the server has counted. Falls back to as
// many words as tokens when the counts make no sense.
std::int64_t words_for(std::int64_t tokens, std::int64_t few_words, std::int64_t few_tokens,
                       std::int64_t many_words, std::int64_t many_tokens);

}  // namespace bench
