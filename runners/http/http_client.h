#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "harness/units.h"
#include "runners/http/request_record.h"
#include "runners/http/response_parser.h"

namespace bench {

// Where requests go. Proxies are never used, redirects never followed, compression never asked for.
struct HttpEndpoint {
  std::string url;  // "http://127.0.0.1:30000", without a trailing slash
  std::string key;  // sent as a bearer token; never printed, never stored
  bool verify_tls = true;
  Seconds connect_timeout{10};
  // Idle connections older than this are not used again: servers close theirs after 5 s (uvicorn),
  // and libcurl would send a request twice without a word.
  Seconds idle_limit{4};
};

// How a transfer ended, and on what connection.
struct TransferEnd {
  Failure failure = Failure::none;  // refused, reset, truncated, timeout or protocol
  std::string words;                // of the failure
  bool reused = false;              // the connection
  Seconds connect{0};               // of a fresh one
  Seconds tls{0};
};

// Hears of one transfer. Times are the monotonic clock's.
class TransferHandler {
 public:
  virtual ~TransferHandler() = default;
  // The request goes to a connection. Called again if the transport sends it again by itself.
  virtual void on_sent(Seconds now) = 0;
  virtual void on_head(Seconds now, const ResponseHead& head) = 0;
  // Stamped when the kernel received the last of these bytes; under TLS when the loop saw that
  // bytes had come, before they were read. False ends the transfer with `protocol`.
  virtual bool on_bytes(Seconds now, std::string_view bytes) = 0;
  virtual void on_end(Seconds now, const TransferEnd& end) = 0;
};

// The event loop of one thread: any number of POSTs at once, on HTTP/1.1 connections that are kept.
class HttpLoop {
 public:
  // For at most `streams` transfers at once.
  static std::unique_ptr<HttpLoop> make(const HttpEndpoint& endpoint, std::size_t streams);

  virtual ~HttpLoop() = default;
  // The body is not copied: it must live until on_end. May be called from no handler.
  virtual void start(std::string_view path, std::string_view body, TransferHandler& handler) = 0;
  // Ends a transfer at once, with its connection. The handler hears nothing more.
  virtual void abort(const TransferHandler& handler) = 0;
  // Serves whatever happens until `until` or the first batch of events. What a handler throws is
  // thrown here.
  virtual void poll(Seconds until) = 0;
  [[nodiscard]] virtual std::size_t active() const = 0;
};

}  // namespace bench
