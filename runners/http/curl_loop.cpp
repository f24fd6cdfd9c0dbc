#include "runners/http/curl_loop.h"

#include <exception>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/error.h"
#include "runners/http/clock.h"
#include "runners/http/curl_handle.h"
#include "runners/http/event_wait.h"

namespace bench {
namespace {

bool ends_head(std::string_view line) { return line == "\r\n" || line == "\n"; }

constexpr Seconds kNotReady{-1};

// What the transfers of a loop share.
struct Round {
  // When the loop saw which sockets have bytes. Read one after another, a thousand that were ready
  // at once would seem to have been milliseconds apart.
  Seconds ready = kNotReady;
  std::exception_ptr thrown;
};

// One easy handle with what it is doing.
struct Transfer {
  Easy easy;
  TransferHandler* handler = nullptr;
  ResponseHead head;
  Round* round = nullptr;       // the loop's
  Seconds stamped = kNotReady;  // the last round that stamped something of this transfer

  [[nodiscard]] Seconds arrival() const {
    const bool fresh = round->ready != kNotReady && round->ready != stamped;
    return fresh ? round->ready : monotonic_now();
  }
  // What else comes in this round came after it began.
  void stamp() { stamped = round->ready; }
};

// Nothing may be thrown through libcurl: it is kept, and the transfer ended.
template <typename Call>
bool guarded(Transfer& transfer, Call&& call) {
  try {
    return call();
  } catch (...) {
    transfer.round->thrown = std::current_exception();
    return false;
  }
}

std::size_t on_write(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const Seconds now = transfer.arrival();
  transfer.stamp();
  const std::size_t bytes = size * count;
  const bool go_on = guarded(transfer, [&] {
    return transfer.handler->on_bytes(now, {data, bytes});
  });
  return go_on ? bytes : CURL_WRITEFUNC_ERROR;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  const bool go_on = guarded(transfer, [&] {
    const std::string_view line(data, bytes);
    read_head_line(line, transfer.head);
    // 1xx heads are followed by the real one.
    if (ends_head(line) && transfer.head.status >= 200) {
      transfer.handler->on_head(transfer.arrival(), transfer.head);
    }
    return true;
  });
  return go_on ? bytes : 0;
}

int on_request(void* user, char* /*peer*/, char* /*local*/, int /*peer_port*/, int /*local_port*/) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.stamp();  // no answer may seem older than its request
  const bool go_on = guarded(transfer, [&] {
    transfer.handler->on_sent(monotonic_now());
    return true;
  });
  return go_on ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

TransferEnd end_of(CURL* easy, CURLcode code) {
  TransferEnd end;
  end.failure = failure_of(code);
  if (code != CURLE_OK) end.words = curl_easy_strerror(code);
  long connects = 0;
  curl_off_t connect = 0;
  curl_off_t tls = 0;
  check(curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects));
  check(curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connect));
  check(curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &tls));
  end.reused = connects == 0;
  if (end.reused) return end;
  end.connect = Seconds(static_cast<double>(connect) * 1e-6);
  if (tls > connect) end.tls = Seconds(static_cast<double>(tls - connect) * 1e-6);
  return end;
}

class CurlLoop : public HttpLoop {
 public:
  CurlLoop(const HttpEndpoint& endpoint, std::size_t streams)
      : endpoint_(endpoint), headers_(make_headers(endpoint)), multi_(curl_multi_init()) {
    if (multi_ == nullptr) fail("libcurl: out of memory");
    check(curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket));
    check(curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this));
    check(curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer));
    check(curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this));
    check(curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(streams + 1)));
  }
  ~CurlLoop() override {
    for (auto& [handler, transfer] : active_) {
      curl_multi_remove_handle(multi_, transfer->easy.get());
    }
    active_.clear();
    idle_.clear();
    curl_multi_cleanup(multi_);
  }
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  void start(std::string_view path, std::string_view body, TransferHandler& handler) override {
    std::unique_ptr<Transfer> transfer = take_idle();
    transfer->handler = &handler;
    CURL* const e = transfer->easy.get();
    set(e, CURLOPT_URL, (endpoint_.url + std::string(path)).c_str());
    set(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(e, CURLOPT_POSTFIELDS, body.data());
    active_[&handler] = std::move(transfer);
    check(curl_multi_add_handle(multi_, e));
    // On a kept connection the request goes out here, not at the next poll.
    act(CURL_SOCKET_TIMEOUT, 0);
  }

  void abort(const TransferHandler& handler) override {
    const auto found = active_.find(&handler);
    if (found == active_.end()) return;
    check(curl_multi_remove_handle(multi_, found->second->easy.get()));
    active_.erase(found);
  }

  void poll(Seconds until) override {
    const std::span<const epoll_event> events = wait_.wait(std::min(until, timer_));
    round_.ready = monotonic_now();
    for (const epoll_event& event : events) {
      int mask = 0;
      if ((event.events & EPOLLIN) != 0) mask |= CURL_CSELECT_IN;
      if ((event.events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
      if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) mask |= CURL_CSELECT_ERR;
      act(event.data.fd, mask);
    }
    round_.ready = kNotReady;
    if (monotonic_now() >= timer_) {
      timer_ = Seconds::max();
      act(CURL_SOCKET_TIMEOUT, 0);
    }
    finish_done();
    if (round_.thrown) std::rethrow_exception(std::exchange(round_.thrown, nullptr));
  }

  [[nodiscard]] std::size_t active() const override { return active_.size(); }

 private:
  static int on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* user, void* known) {
    auto& loop = *static_cast<CurlLoop*>(user);
    if (what == CURL_POLL_REMOVE) {
      loop.wait_.watch(EPOLL_CTL_DEL, socket, 0);
      return 0;
    }
    std::uint32_t events = 0;
    if ((what & CURL_POLL_IN) != 0) events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
    loop.wait_.watch(known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, events);
    curl_multi_assign(loop.multi_, socket, &loop);
    return 0;
  }

  static int on_timer(CURLM* /*multi*/, long milliseconds, void* user) {
    auto& loop = *static_cast<CurlLoop*>(user);
    loop.timer_ = milliseconds < 0
                      ? Seconds::max()
                      : monotonic_now() + Seconds(static_cast<double>(milliseconds) * 1e-3);
    return 0;
  }

  std::unique_ptr<Transfer> take_idle() {
    if (!idle_.empty()) {
      std::unique_ptr<Transfer> transfer = std::move(idle_.back());
      idle_.pop_back();
      return transfer;
    }
    auto transfer = std::make_unique<Transfer>();
    transfer->easy = make_easy(endpoint_, headers_);
    transfer->round = &round_;
    CURL* const e = transfer->easy.get();
    set(e, CURLOPT_WRITEFUNCTION, on_write);
    set(e, CURLOPT_WRITEDATA, transfer.get());
    set(e, CURLOPT_HEADERFUNCTION, on_header);
    set(e, CURLOPT_HEADERDATA, transfer.get());
    set(e, CURLOPT_PREREQFUNCTION, on_request);
    set(e, CURLOPT_PREREQDATA, transfer.get());
    set(e, CURLOPT_PRIVATE, transfer.get());
    return transfer;
  }

  void act(curl_socket_t socket, int mask) {
    int running = 0;
    check(curl_multi_socket_action(multi_, socket, mask, &running));
  }

  void finish_done() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      char* user = nullptr;
      check(curl_easy_getinfo(easy, CURLINFO_PRIVATE, &user));
      TransferHandler* const handler = reinterpret_cast<Transfer*>(user)->handler;
      const TransferEnd end = end_of(easy, code);
      check(curl_multi_remove_handle(multi_, easy));
      idle_.push_back(std::move(active_.extract(handler).mapped()));
      handler->on_end(monotonic_now(), end);
    }
  }

  HttpEndpoint endpoint_;
  HeaderList headers_;
  EventWait wait_;
  CURLM* multi_ = nullptr;
  Seconds timer_ = Seconds::max();  // when libcurl wants to be called
  std::vector<std::unique_ptr<Transfer>> idle_;
  std::unordered_map<const TransferHandler*, std::unique_ptr<Transfer>> active_;
  Round round_;
};

}  // namespace

std::unique_ptr<HttpLoop> make_curl_loop(const HttpEndpoint& endpoint, std::size_t streams) {
  initialise_once();
  return std::make_unique<CurlLoop>(endpoint, streams);
}

}  // namespace bench
