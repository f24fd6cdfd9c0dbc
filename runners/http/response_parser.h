#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// What came before the body.
struct ResponseHead {
  int status = 0;
  std::string content_type;
  std::string content_encoding;  // also what Transfer-Encoding names beside "chunked"
  std::string retry_after;
};

// Takes one line of a head, with or without its line end; a status line begins a new head.
void read_head_line(std::string_view line, ResponseHead& head);

class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void on_head(const ResponseHead& head) = 0;
  virtual bool on_body(std::string_view bytes) = 0;  // false: no more of it
};

// Incremental parser of one HTTP/1.1 response (RFC 9112): 1xx heads passed over, then a head, then
// a body in chunks, of a length, or up to the close. Bytes may be cut anywhere.
class ResponseParser {
 public:
  enum class State { reading, done, broken };

  // Reads up to the end of the response.
  State feed(std::string_view bytes, ResponseHandler& handler);
  // The connection was closed: done where the body may end so.
  State close();

  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool in_body() const { return part_ > Part::headers; }
  // After done: whether another request may go to this connection.
  [[nodiscard]] bool keeps_connection() const { return keep_ && !excess_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // why it is broken

 private:
  enum class Part {
    status,
    headers,
    chunk_size,
    chunk,
    chunk_end,
    trailers,
    length,
    to_close,
    done,
    broken
  };

  void take_line(std::string_view& bytes, ResponseHandler& handler);
  void end_line(std::string_view line, ResponseHandler& handler);
  void take_status(std::string_view line);
  void take_header(std::string_view line);
  void begin_body(ResponseHandler& handler);
  void begin_chunk(std::string_view line);
  void take_body(std::string_view& bytes, ResponseHandler& handler);
  void break_off(std::string_view words);
  [[nodiscard]] State state() const;

  Part part_ = Part::status;
  ResponseHead head_;
  std::string line_;            // the part of a line that came with earlier bytes
  std::size_t head_bytes_ = 0;  // bounded, as is a line
  std::int64_t left_ = -1;      // of the chunk or the body; -1: not told
  bool chunked_ = false;
  bool keep_ = true;
  bool begun_ = false;
  bool excess_ = false;  // bytes after the end
  std::string error_;
};

}  // namespace bench
