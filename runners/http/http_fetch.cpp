#include <algorithm>
#include <cmath>

#include "runners/http/curl_handle.h"
#include "runners/http/http_client.h"

namespace bench {
namespace {

constexpr std::size_t kMostControlBytes = std::size_t{64} << 20;

}  // namespace

HttpAnswer http_fetch(const HttpEndpoint& endpoint, const std::string& path,
                      const std::string& body, Seconds timeout) {
  const HeaderList headers = make_headers(endpoint);
  const Easy easy = make_easy(endpoint, headers);
  CURL* const e = easy.get();
  HttpAnswer answer;
  const auto keep =
      +[](char* data, std::size_t size, std::size_t count, void* user) -> std::size_t {
    auto& kept = *static_cast<std::string*>(user);
    if (kept.size() + size * count > kMostControlBytes) return CURL_WRITEFUNC_ERROR;
    kept.append(data, size * count);
    return size * count;
  };
  set(e, CURLOPT_URL, (endpoint.url + path).c_str());
  set(e, CURLOPT_WRITEFUNCTION, keep);
  set(e, CURLOPT_WRITEDATA, &answer.body);
  set(e, CURLOPT_TIMEOUT_MS, std::max(1L, std::lround(timeout.count() * 1e3)));
  if (!body.empty()) {
    set(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(e, CURLOPT_POSTFIELDS, body.data());
  }
  const CURLcode code = curl_easy_perform(e);
  long status = 0;
  check(curl_easy_getinfo(e, CURLINFO_RESPONSE_CODE, &status));
  if (code != CURLE_OK) answer.words = curl_easy_strerror(code);
  answer.status = code == CURLE_OK ? static_cast<int>(status) : 0;
  return answer;
}

}  // namespace bench
