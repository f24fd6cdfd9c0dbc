#include "runners/http/http_client.h"

#include <sys/resource.h>

#include "runners/http/curl_loop.h"
#include "runners/http/plain_loop.h"

namespace bench {
namespace {

// Shells start programs with a limit of 1,024 open files, which is fewer than the streams that one
// may ask for; the system's own limit is far above.
void allow_as_many_files_as_possible() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::unique_ptr<HttpLoop> HttpLoop::make(const HttpEndpoint& endpoint, std::size_t streams) {
  allow_as_many_files_as_possible();
  const bool tls = endpoint.url.starts_with("https:");
  return tls ? make_curl_loop(endpoint, streams) : make_plain_loop(endpoint, streams);
}

}  // namespace bench
