#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "runners/http/http_client.h"

namespace bench {

// What the loop and the single request share of libcurl; for their sources alone.

// Fail with libcurl's words.
void check(CURLcode code);
void check(CURLMcode code);

template <typename T>
void set(CURL* easy, CURLoption option, T value) {
  check(curl_easy_setopt(easy, option, value));
}

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

// libcurl's global state, once a process; before anything else of it.
void initialise_once();

HeaderList make_headers(const HttpEndpoint& endpoint);

// A handle for the endpoint. The headers must outlive it.
Easy make_easy(const HttpEndpoint& endpoint, const HeaderList& headers);

Failure failure_of(CURLcode code);

// The parts of an endpoint's URL.
struct UrlParts {
  bool tls = false;
  std::string host;  // an address of IPv6 without its brackets
  std::string port;
  std::string authority;  // "host:port" as a request says it
  std::string path;       // before the dialect's own; without a slash at its end
};
UrlParts split_url(const std::string& url);  // throws Error

}  // namespace bench
