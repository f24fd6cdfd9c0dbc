#pragma once

#include <cstddef>
#include <memory>

#include "runners/http/http_client.h"

namespace bench {

// Connections under TLS: libcurl does the protocol, epoll the waiting (its own poll looks at every
// transfer on every wake-up).
std::unique_ptr<HttpLoop> make_curl_loop(const HttpEndpoint& endpoint, std::size_t streams);

}  // namespace bench
