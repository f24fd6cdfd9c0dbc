#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/http/load.h"
#include "runners/http/stream_reader.h"

namespace bench {

// One request from its start to its record. Used again and again by one user.
class RequestRun : public TransferHandler {
 public:
  // `finished` is appended `number` when the record is ready.
  RequestRun(const LoadTarget& target, JsonParser& json, std::vector<std::int64_t>& finished,
             std::int64_t number)
      : dialect_(*target.dialect),
        json_(json),
        key_(target.endpoint.key),
        finished_(finished),
        number_(number) {}

  // `record` holds what was asked; `epoch` is the start of the pass.
  void begin(RequestRecord record, std::string body, Seconds epoch);
  [[nodiscard]] const std::string& body() const { return body_; }
  // The finished record; the run is free again.
  RequestRecord take();

  // How to end it when it has waited too long at `now` (since the epoch): stalled, timeout, or none
  // where all has come but the end of the body.
  [[nodiscard]] std::optional<Failure> overdue(Seconds now, Seconds request_timeout,
                                               Seconds stall_timeout) const;
  void give_up(Seconds now, Failure failure);

  void on_sent(Seconds now) override;
  void on_head(Seconds now, const ResponseHead& head) override;
  bool on_bytes(Seconds now, std::string_view bytes) override;
  void on_end(Seconds now, const TransferEnd& end) override;

 private:
  void fail_with(Failure failure, const std::string& words);
  void keep_error_bytes(std::string_view bytes);
  void close(Seconds now);

  const Dialect& dialect_;
  JsonParser& json_;
  std::string_view key_;  // cut out of whatever the server says
  std::vector<std::int64_t>& finished_;
  std::int64_t number_;
  RequestRecord record_;
  std::string body_;
  Seconds epoch_{0};
  std::optional<StreamReader> reader_;  // of a response with status 200
  std::string error_body_;
  bool running_ = false;
};

}  // namespace bench
