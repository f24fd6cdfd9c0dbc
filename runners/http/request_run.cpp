#include "runners/http/request_run.h"

#include <algorithm>
#include <utility>

#include "harness/format.h"
#include "runners/http/server_words.h"

namespace bench {
namespace {

// For the end of a body after the end mark, before it is not waited for any more.
constexpr Seconds kDrain{1};

bool is_event_stream(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';')).starts_with("text/event-stream");
}

}  // namespace

void RequestRun::begin(RequestRecord record, std::string body, Seconds epoch) {
  record_ = std::move(record);
  record_.events.reserve(
      static_cast<std::size_t>(std::min<std::int64_t>(record_.output_asked, 1 << 16)) + 8);
  body_ = std::move(body);
  epoch_ = epoch;
  reader_.reset();
  error_body_.clear();
  running_ = true;
}

RequestRecord RequestRun::take() {
  reader_.reset();
  std::string().swap(body_);
  return std::move(record_);
}

std::optional<Failure> RequestRun::overdue(Seconds now, Seconds request_timeout,
                                           Seconds stall_timeout) const {
  if (!running_) return std::nullopt;
  if (reader_ && reader_->done()) {
    return now - *reader_->done() > kDrain ? std::optional(Failure::none) : std::nullopt;
  }
  const Seconds begun = record_.sent >= Seconds{0} ? record_.sent : record_.due;
  if (now - begun > request_timeout) return Failure::timeout;
  const bool streaming = reader_ && reader_->last_data() >= Seconds{0};
  if (streaming && now - reader_->last_data() > stall_timeout) return Failure::stalled;
  return std::nullopt;
}

void RequestRun::give_up(Seconds now, Failure failure) {
  if (failure == Failure::none) {
    record_.note_anomaly("the body did not end after the end mark");
    reader_->finish();
    return close(epoch_ + *reader_->done());
  }
  fail_with(failure, failure == Failure::stalled ? "no data within stall_timeout_s"
                                                 : "not done within request_timeout_s");
  close(now);
}

void RequestRun::on_sent(Seconds now) {
  if (++record_.attempts == 1) record_.sent = now - epoch_;
}

void RequestRun::on_head(Seconds now, const ResponseHead& head) {
  if (record_.first_byte < Seconds{0}) record_.first_byte = now - epoch_;
  record_.http_status = head.status;
  if (head.status != 200) {
    std::string words = format("HTTP {}", head.status);
    if (!head.retry_after.empty()) words += ", Retry-After: " + head.retry_after;
    return fail_with(Failure::http_status, words);
  }
  if (!head.content_encoding.empty() && head.content_encoding != "identity") {
    return fail_with(Failure::protocol,
                     "the response is compressed (" + head.content_encoding + ") though not asked");
  }
  if (dialect_.framing == Framing::sse && !is_event_stream(head.content_type)) {
    record_.note_anomaly(format("the content type is '{}'", head.content_type));
  }
  reader_.emplace(dialect_, json_, record_);
}

bool RequestRun::on_bytes(Seconds now, std::string_view bytes) {
  if (!reader_) {
    keep_error_bytes(bytes);
    // A compressed stream would go on for as long as a good one.
    return record_.failure == Failure::http_status;
  }
  if (error_body_.size() < kKeptErrorBytes && record_.events.empty()) keep_error_bytes(bytes);
  reader_->feed(now - epoch_, bytes);
  return record_.failure != Failure::protocol;
}

void RequestRun::on_end(Seconds now, const TransferEnd& end) {
  record_.reused = end.reused;
  record_.connect = end.connect;
  record_.tls = end.tls;
  if (end.failure != Failure::none && reader_ && reader_->done()) {
    record_.note_anomaly("after the end mark: " + end.words);
  } else if (end.failure != Failure::none) {
    fail_with(end.failure, end.words);
  }
  if (reader_) reader_->finish();
  close(now);
}

void RequestRun::keep_error_bytes(std::string_view bytes) {
  error_body_.append(
      bytes.substr(0, kKeptErrorBytes - std::min(kKeptErrorBytes, error_body_.size())));
}

void RequestRun::fail_with(Failure failure, const std::string& words) {
  if (record_.failure != Failure::none) return;
  record_.failure = failure;
  record_.error = words;
}

void RequestRun::close(Seconds now) {
  record_.end = now - epoch_;
  const bool streamed =
      std::ranges::any_of(record_.events, [](const StreamEvent& e) { return e.tokens > 0; });
  record_.error = redact(std::move(record_.error), key_);
  if (record_.failure != Failure::none && !error_body_.empty() && !streamed) {
    record_.error += ": " + redact(std::move(error_body_), key_);
  }
  record_.error = one_line(record_.error, kKeptErrorBytes);
  record_.anomaly = one_line(redact(std::move(record_.anomaly), key_));
  running_ = false;
  finished_.push_back(number_);
}

}  // namespace bench
