#include "runners/http/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "harness/error.h"
#include "harness/format.h"

namespace bench {
namespace {

std::string key_of(const Parameters& parameters) {
  if (!parameters.api_key_file.empty()) {
    std::ifstream file(parameters.api_key_file);
    std::string key;
    if (!std::getline(file, key)) {
      fail_usage(format("api_key_file: cannot read a key from {}", parameters.api_key_file));
    }
    return key;
  }
  const std::string& name = parameters.api_key_env;
  const char* value = std::getenv(name.empty() ? "BENCH_API_KEY" : name.c_str());
  if (value == nullptr && !name.empty()) {
    fail_usage(format("api_key_env: the environment has no {}", name));
  }
  return value == nullptr ? "" : value;
}

std::string trimmed_url(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/v1")) url.resize(url.size() - 3);  // the dialects add their own path
  return url;
}

}  // namespace

HttpEndpoint endpoint_of(const Parameters& parameters) {
  HttpEndpoint endpoint;
  endpoint.url = trimmed_url(parameters.endpoint);
  if (endpoint.url.empty()) {
    fail_usage("endpoint: empty; give the URL of the server, as http://127.0.0.1:30000");
  }
  const bool http = endpoint.url.starts_with("http://") || endpoint.url.starts_with("https://");
  if (!http) {
    fail_usage(
        format("endpoint: '{}' is no URL; it begins with http:// or https://", endpoint.url));
  }
  const std::size_t host = endpoint.url.find("://") + 3;
  if (endpoint.url.substr(host, endpoint.url.find('/', host) - host).find('@') !=
      std::string::npos) {
    fail_usage("endpoint: a password in the URL would be stored; use api_key_env or api_key_file");
  }
  endpoint.key = key_of(parameters);
  while (endpoint.key.ends_with('\r') || endpoint.key.ends_with(' ')) endpoint.key.pop_back();
  const bool plain = std::ranges::all_of(endpoint.key, [](char c) { return c > ' ' && c <= '~'; });
  if (!plain) fail_usage("the API key holds spaces or other characters that no key has");
  endpoint.verify_tls = parameters.tls == Tls::verify;
  return endpoint;
}

}  // namespace bench
