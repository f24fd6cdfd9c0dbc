#include "runners/http/curl_handle.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {

void check(CURLcode code) {
  if (code != CURLE_OK) fail(format("libcurl: {}", curl_easy_strerror(code)));
}

void check(CURLMcode code) {
  if (code != CURLM_OK) fail(format("libcurl: {}", curl_multi_strerror(code)));
}

void initialise_once() {
  static const CURLcode kCode = curl_global_init(CURL_GLOBAL_DEFAULT);
  check(kCode);
}

// An empty "Expect:" keeps libcurl from waiting up to a second before a body above 1 MiB.
HeaderList make_headers(const HttpEndpoint& endpoint) {
  std::vector<std::string> lines = {"Content-Type: application/json", "Accept: */*", "Expect:"};
  if (!endpoint.key.empty()) lines.push_back("Authorization: Bearer " + endpoint.key);
  HeaderList headers;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) fail("libcurl: out of memory");
    static_cast<void>(headers.release());
    headers.reset(longer);
  }
  return headers;
}

Easy make_easy(const HttpEndpoint& endpoint, const HeaderList& headers) {
  initialise_once();
  Easy easy(curl_easy_init());
  if (!easy) fail("libcurl: out of memory");
  CURL* const e = easy.get();
  set(e, CURLOPT_HTTPHEADER, headers.get());
  set(e, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(e, CURLOPT_PROTOCOLS_STR, "http,https");
  set(e, CURLOPT_NOSIGNAL, 1L);
  set(e, CURLOPT_PROXY, "");
  set(e, CURLOPT_FOLLOWLOCATION, 0L);
  set(e, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
  set(e, CURLOPT_SSL_VERIFYPEER, endpoint.verify_tls ? 1L : 0L);
  set(e, CURLOPT_SSL_VERIFYHOST, endpoint.verify_tls ? 2L : 0L);
  set(e, CURLOPT_CONNECTTIMEOUT_MS, std::lround(endpoint.connect_timeout.count() * 1e3));
  set(e, CURLOPT_MAXAGE_CONN, std::max(1L, std::lround(endpoint.idle_limit.count())));
  return easy;
}

Failure failure_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Failure::none;
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return Failure::refused;
    case CURLE_OPERATION_TIMEDOUT:
      return Failure::timeout;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return Failure::reset;
    case CURLE_PARTIAL_FILE:
      return Failure::truncated;
    default:
      return Failure::protocol;
  }
}

UrlParts split_url(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> handle(curl_url(), curl_url_cleanup);
  const auto check_url = [&](CURLUcode code) {
    if (code != CURLUE_OK) fail_usage(format("{}: {}", url, curl_url_strerror(code)));
  };
  check_url(curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0));
  const auto part = [&](CURLUPart what) {
    char* text = nullptr;
    check_url(curl_url_get(handle.get(), what, &text, CURLU_DEFAULT_PORT));
    const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
    return std::string(text);
  };
  UrlParts parts{.tls = part(CURLUPART_SCHEME) == "https",
                 .host = part(CURLUPART_HOST),
                 .port = part(CURLUPART_PORT),
                 .authority = {},
                 .path = part(CURLUPART_PATH)};
  parts.authority = parts.host + ":" + parts.port;
  if (parts.host.starts_with('[')) parts.host = parts.host.substr(1, parts.host.size() - 2);
  while (parts.path.ends_with('/')) parts.path.pop_back();
  return parts;
}

}  // namespace bench
