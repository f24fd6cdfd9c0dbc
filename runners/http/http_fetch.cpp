#include "runners/http/http_fetch.h"

#include <algorithm>
#include <cmath>

#include "runners/http/curl_handle.h"

namespace bench {
namespace {

constexpr std::size_t kMostControlBytes = std::size_t{64} << 20;

std::size_t keep(char* data, std::size_t size, std::size_t count, void* user) {
  auto& kept = *static_cast<std::string*>(user);
  if (kept.size() + size * count > kMostControlBytes) return CURL_WRITEFUNC_ERROR;
  kept.append(data, size * count);
  return size * count;
}

}  // namespace

struct HttpFetch::State {
  HttpEndpoint endpoint;
  HeaderList headers;
  Easy easy;

  explicit State(const HttpEndpoint& to)
      : endpoint(to), headers(make_headers(to)), easy(make_easy(to, headers)) {
    set(easy.get(), CURLOPT_WRITEFUNCTION, keep);
  }

  HttpAnswer perform(const std::string& path, Seconds timeout) const {
    CURL* const e = easy.get();
    HttpAnswer answer;
    set(e, CURLOPT_URL, (endpoint.url + path).c_str());
    set(e, CURLOPT_WRITEDATA, &answer.body);
    set(e, CURLOPT_TIMEOUT_MS, std::max(1L, std::lround(timeout.count() * 1e3)));
    const CURLcode code = curl_easy_perform(e);
    long status = 0;
    check(curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, &status));
    if (code != CURLE_OK) answer.words = curl_easy_strerror(code);
    answer.status = code == CURLE_OK ? static_cast<int>(status) : 0;
    return answer;
  }
};

HttpFetch::HttpFetch(const HttpEndpoint& endpoint) : state_(std::make_unique<State>(endpoint)) {}
HttpFetch::~HttpFetch() = default;

const HttpEndpoint& HttpFetch::endpoint() const { return state_->endpoint; }

HttpAnswer HttpFetch::get(const std::string& path, Seconds timeout) {
  set(state_->easy.get(), CURLOPT_HTTPGET, 1L);
  return state_->perform(path, timeout);
}

HttpAnswer HttpFetch::post(const std::string& path, const std::string& json, Seconds timeout) {
  CURL* const e = state_->easy.get();
  set(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(json.size()));
  set(e, CURLOPT_POSTFIELDS, json.data());
  return state_->perform(path, timeout);
}

}  // namespace bench
