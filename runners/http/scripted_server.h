#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/units.h"

namespace bench {

// One thing the server does on a connection after a request was read whole.
struct ScriptStep {
  enum class Then { go_on, close, reset };
  Seconds at{0};      // since the request was read
  std::string bytes;  // written as they are
  Then then = Then::go_on;
};

// The answer to one request, byte by byte. After the last step the connection waits for the next
// request.
struct Script {
  std::vector<ScriptStep> steps;
  std::size_t write_bytes = 0;  // the most in one write; 0: no limit
};

struct ScriptedAnswer {
  std::shared_ptr<const Script> script;
  std::int64_t tag = -1;  // of the request in the log; negative: not logged
};

// When a step of a request was really written, beside when the script wanted it.
struct ScriptedWrite {
  std::int64_t tag;
  std::int32_t step;
  Seconds due;
  Seconds written;  // the clock just before the write
};

// A server on the loopback that plays scripts, in a thread of its own: for tests, and for the
// self-test that says what the client can do. Times are kept to the microsecond as far as the
// machine lets it.
class ScriptedServer {
 public:
  // Called on the server's thread for each request; `head` ends before the empty line.
  using Answer = std::function<ScriptedAnswer(std::string_view head, std::string_view body)>;

  explicit ScriptedServer(Answer answer);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:40123"
  void stop();                            // ends the thread; afterwards the log may be read
  [[nodiscard]] const std::vector<ScriptedWrite>& log() const;
  [[nodiscard]] std::int64_t requests() const;
  [[nodiscard]] std::int64_t connections() const;  // accepted; after stop()
  [[nodiscard]] Seconds cpu_time() const;          // of the thread, after stop()

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "HTTP/1.1 200 OK" and headers; a body of `length` bytes, or chunked if length is negative.
std::string http_head(std::string_view status, std::string_view content_type,
                      std::int64_t length = -1, std::string_view more_headers = {});
std::string http_chunk(std::string_view bytes);  // empty: the last chunk

// A chunked event stream of `tokens` tokens, one an event, in the words of vLLM with continuous
// usage: the first after `first`, then one every `interval`.
Script paced_stream(Seconds first, Seconds interval, std::int64_t tokens);

}  // namespace bench
