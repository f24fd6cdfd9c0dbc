#include "results/secrets.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace bench {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::size_t kShortestSecret = 6;  // "true", "none", "auto" are no secrets

constexpr std::array<std::string_view, 9> kSecretNames{"apikey",    "token",     "secret",
                                                       "password",  "passwd",    "authorization",
                                                       "accesskey", "secretkey", "credential"};

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}
bool in_value(char c) {
  return std::isspace(static_cast<unsigned char>(c)) == 0 &&
         std::string_view("\"',;&}])").find(c) == std::string_view::npos;
}

// "--HF_Token" -> "hftoken"
std::string bare(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '-' && c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool names_a_secret(std::string_view name) {
  const std::string plain = bare(name);
  return std::ranges::any_of(kSecretNames,
                             [&](std::string_view end) { return plain.ends_with(end); });
}

// Where the value begins that belongs to the name before `end`; npos if there is none. A flag's may
// follow after a space, or as the next item of a list; any other name needs = or :.
std::size_t value_start(std::string_view text, std::size_t end, bool flag) {
  const std::size_t start = std::min(text.find_first_not_of(" =:,\"'", end), text.size());
  const std::string_view between = text.substr(end, start - end);
  const bool tied = between.find_first_of("=:") != text.npos && between.find(',') == text.npos;
  return start < text.size() && (tied || (flag && !between.empty())) ? start : text.npos;
}

std::size_t value_end(std::string_view text, std::size_t start) {
  std::size_t end = start;
  while (end < text.size() && in_value(text[end])) ++end;
  return end;
}

void mask_range(std::string& text, std::size_t start, std::size_t end) {
  const std::string_view value = std::string_view(text).substr(start, end - start);
  if (value.size() < kShortestSecret || value.starts_with("${") || value == "Bearer") return;
  text.replace(start, end - start, kMask);
}

void mask_named_values(std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!in_name(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string name = text.substr(at, end - at);
    if (names_a_secret(name)) {
      const std::size_t start = value_start(text, end, name.starts_with("-"));
      if (start != text.npos) mask_range(text, start, value_end(text, start));
    }
    at = end;
  }
}

// Before mask_named_values, which would take the word Bearer for the value of Authorization.
void mask_bearer_tokens(std::string& text) {
  for (const std::string_view word : {"Bearer ", "bearer ", "Basic "}) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) {
      const std::size_t start = at + word.size();
      mask_range(text, start, value_end(text, start));
    }
  }
}

void mask_url_credentials(std::string& text) {
  for (auto at = text.find("://"); at != text.npos; at = text.find("://", at + 3)) {
    const std::size_t end = text.find_first_of("/?# \t\n\"'", at + 3);
    const std::size_t sign = text.substr(0, end).rfind('@');
    if (sign != text.npos && sign > at + 3) text.replace(at + 3, sign - at - 3, kMask);
  }
}

void mask_environment(std::string& text) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const auto equals = line.find('=');
    if (equals == line.npos) continue;
    const std::string_view value = line.substr(equals + 1);
    const std::string name = bare(line.substr(0, equals));
    const bool secret = names_a_secret(name) || name.ends_with("key");
    if (!secret || value.size() < kShortestSecret) continue;
    for (auto at = text.find(value); at != text.npos; at = text.find(value, at + kMask.size())) {
      text.replace(at, value.size(), kMask);
    }
  }
}

}  // namespace

std::string masked(std::string_view text) {
  std::string out(text);
  mask_environment(out);
  mask_url_credentials(out);
  mask_bearer_tokens(out);
  mask_named_values(out);
  return out;
}

}  // namespace bench
