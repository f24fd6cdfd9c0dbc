#include "workloads/possible.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/format.h"
#include "harness/units.h"

namespace bench {
namespace {

// Slot numbers are 32-bit on every device.
constexpr std::int64_t kMostSlots = (std::int64_t{1} << 31) - 1;

std::int64_t whole_pages(std::int64_t tokens, std::int64_t page_size) {
  return (tokens + page_size - 1) / page_size * page_size;
}

// Of "host", "host:80" or "[::1]:80": nothing behind the colon is the scheme's own.
bool has_wrong_port(std::string_view authority) {
  constexpr int kMostPort = 65535;
  const std::size_t colon = authority.find(':', authority.rfind(']') + 1);
  if (colon == std::string_view::npos) return false;
  const std::string_view digits = authority.substr(colon + 1);
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool number = error == std::errc() && end == digits.data() + digits.size();
  return !digits.empty() && (!number || port < 1 || port > kMostPort);
}

std::optional<Impossible> wrong_request(const Parameters& p) {
  const std::string& url = p.endpoint;
  const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
  if (!has_scheme) return Impossible{{"endpoint"}, "endpoint: expected http://... or https://..."};
  const auto breaks = [](char c) { return (c >= 0 && c <= ' ') || c == '\x7f'; };
  if (std::ranges::any_of(url, breaks)) {
    return Impossible{{"endpoint"}, "endpoint: has a blank or a line end in it"};
  }
  const std::size_t host = url.find("//") + 2;
  const std::size_t host_end = url.find_first_of("/?#", host);
  if (host == url.size() || host == host_end) return Impossible{{"endpoint"}, "endpoint: no host"};
  const std::string_view authority = std::string_view(url).substr(host, host_end - host);
  if (authority.find('@') != std::string_view::npos) {
    return Impossible{{"endpoint"}, "endpoint: holds a password (use api_key_env or api_key_file)"};
  }
  if (has_wrong_port(authority)) {
    return Impossible{{"endpoint"}, "endpoint: the port is no number from 1 to 65535"};
  }
  if (url.find_first_of("?#") != std::string::npos) {
    return Impossible{{"endpoint"}, "endpoint: ends before '?' and '#' (routes are put behind it)"};
  }
  if (p.requests == 0 && p.duration_s == 0) {
    return Impossible{{"duration_s", "requests"}, "duration_s 0 and requests 0 would never end"};
  }
  return std::nullopt;
}

std::optional<Impossible> wrong_pool(const Parameters& p) {
  const std::int64_t needed = active_slots(p);
  if (needed > kMostSlots) {
    return Impossible{{"context", "concurrency"},
                      format("{} requests of {} tokens need {} slots; at most {} can be numbered",
                             p.concurrency, format_count(p.context), needed, kMostSlots)};
  }
  // How many ranks share the tokens is known when they meet.
  if (p.pool_tokens == 0 || p.parallel == Parallel::context) return std::nullopt;
  if (needed > whole_pages(p.pool_tokens, p.page_size)) {
    return Impossible{{"pool_tokens", "context", "concurrency", "page_size"},
                      format("{} x {} tokens need {} slots, pool_tokens has {}", p.concurrency,
                             format_count(p.context), needed, p.pool_tokens)};
  }
  return std::nullopt;
}

}  // namespace

std::int64_t active_slots(const Parameters& p) {
  return whole_pages(p.context, p.page_size) * p.concurrency;
}

std::optional<Impossible> impossible(const Parameters& p) {
  if (!p.endpoint.empty()) return wrong_request(p);
  if (p.heads % p.tensor_parallel != 0) {
    return Impossible{
        {"tensor_parallel", "heads", "model"},
        format("{} heads cannot be shared by tensor_parallel {}", p.heads, p.tensor_parallel)};
  }
  if (p.query_tokens > p.context) {
    return Impossible{{"query_tokens", "context"},
                      format("query_tokens {} is more than context {}, which includes them",
                             p.query_tokens, p.context)};
  }
  return wrong_pool(p);
}

}  // namespace bench
