#pragma once

#include <cstddef>
#include <memory>

#include "runners/http/http_client.h"

namespace bench {

// Connections without TLS, read straight from their sockets: so that every read brings the time at
// which the kernel received its bytes, however late the loop is, and costs half of what it does
// through libcurl.
std::unique_ptr<HttpLoop> make_plain_loop(const HttpEndpoint& endpoint, std::size_t streams);

}  // namespace bench
