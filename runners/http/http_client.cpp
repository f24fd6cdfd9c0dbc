#include "runners/http/http_client.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/error.h"
#include "harness/format.h"
#include "runners/http/clock.h"
#include "runners/http/curl_handle.h"

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

bool starts_with_name(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
         });
}

std::string header_value(std::string_view line, std::string_view name) {
  line.remove_prefix(name.size() + 1);
  const std::size_t from = line.find_first_not_of(" \t");
  const std::size_t to = line.find_last_not_of(" \t\r\n");
  return from == std::string_view::npos ? "" : std::string(line.substr(from, to - from + 1));
}

// One header line; true at the end of the head.
bool read_head_line(std::string_view line, ResponseHead& head) {
  if (line.starts_with("HTTP/")) {
    head = {};
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos) {
      std::from_chars(line.data() + space + 1, line.data() + line.size(), head.status);
    }
  } else if (starts_with_name(line, "content-type")) {
    head.content_type = header_value(line, "content-type");
  } else if (starts_with_name(line, "content-encoding")) {
    head.content_encoding = header_value(line, "content-encoding");
  } else if (starts_with_name(line, "retry-after")) {
    head.retry_after = header_value(line, "retry-after");
  }
  return line == "\r\n" || line == "\n";
}

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
    const bool whole = read_head_line({data, bytes}, transfer.head);
    // 1xx heads are followed by the real one.
    if (whole && transfer.head.status >= 200) {
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

// Looks before it waits: under load there is nearly always something, and arming the kernel's
// timer would cost more than the look.
int wait_for_events(int epoll, Seconds until, std::span<epoll_event> events) {
  const auto most = static_cast<int>(events.size());
  int ready = epoll_wait(epoll, events.data(), most, 0);
  if (ready == 0) {
    const double wait = std::clamp((until - monotonic_now()).count(), 0.0, 3600.0);
    const auto whole = static_cast<time_t>(wait);
    const timespec timeout{whole, static_cast<long>((wait - static_cast<double>(whole)) * 1e9)};
    ready = epoll_pwait2(epoll, events.data(), most, &timeout, nullptr);
  }
  if (ready < 0 && errno != EINTR) fail(format("epoll: {}", std::strerror(errno)));
  return ready;
}

}  // namespace

struct HttpLoop::State {
  HttpEndpoint endpoint;
  HeaderList headers;
  CURLM* multi = nullptr;
  int epoll = -1;
  Seconds timer = Seconds::max();  // when libcurl wants to be called
  std::vector<std::unique_ptr<Transfer>> idle;
  std::unordered_map<const TransferHandler*, std::unique_ptr<Transfer>> active;
  Round round;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (auto& [handler, transfer] : active) curl_multi_remove_handle(multi, transfer->easy.get());
    active.clear();
    idle.clear();
    if (multi != nullptr) curl_multi_cleanup(multi);
    if (epoll >= 0) close(epoll);
  }

  static int on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* user, void* known) {
    auto& state = *static_cast<State*>(user);
    epoll_event event{};
    event.data.fd = socket;
    if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
    if (what == CURL_POLL_REMOVE) {
      epoll_ctl(state.epoll, EPOLL_CTL_DEL, socket, nullptr);
      return 0;
    }
    epoll_ctl(state.epoll, known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    curl_multi_assign(state.multi, socket, &state);
    return 0;
  }

  static int on_timer(CURLM* /*multi*/, long milliseconds, void* user) {
    auto& state = *static_cast<State*>(user);
    state.timer = milliseconds < 0
                      ? Seconds::max()
                      : monotonic_now() + Seconds(static_cast<double>(milliseconds) * 1e-3);
    return 0;
  }

  std::unique_ptr<Transfer> take_idle() {
    if (!idle.empty()) {
      std::unique_ptr<Transfer> transfer = std::move(idle.back());
      idle.pop_back();
      return transfer;
    }
    auto transfer = std::make_unique<Transfer>();
    transfer->easy = make_easy(endpoint, headers);
    transfer->round = &round;
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
    check(curl_multi_socket_action(multi, socket, mask, &running));
  }

  void finish_done() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      char* user = nullptr;
      check(curl_easy_getinfo(easy, CURLINFO_PRIVATE, &user));
      TransferHandler* const handler = reinterpret_cast<Transfer*>(user)->handler;
      const TransferEnd end = end_of(easy, code);
      check(curl_multi_remove_handle(multi, easy));
      idle.push_back(std::move(active.extract(handler).mapped()));
      handler->on_end(monotonic_now(), end);
    }
  }
};

HttpLoop::HttpLoop(const HttpEndpoint& endpoint, std::size_t streams)
    : state_(std::make_unique<State>()) {
  initialise_once();
  allow_as_many_files_as_possible();
  State& s = *state_;
  s.endpoint = endpoint;
  s.headers = make_headers(endpoint);
  s.multi = curl_multi_init();
  s.epoll = epoll_create1(EPOLL_CLOEXEC);
  if (s.multi == nullptr || s.epoll < 0) fail(format("epoll: {}", std::strerror(errno)));
  check(curl_multi_setopt(s.multi, CURLMOPT_SOCKETFUNCTION, State::on_socket));
  check(curl_multi_setopt(s.multi, CURLMOPT_SOCKETDATA, &s));
  check(curl_multi_setopt(s.multi, CURLMOPT_TIMERFUNCTION, State::on_timer));
  check(curl_multi_setopt(s.multi, CURLMOPT_TIMERDATA, &s));
  check(curl_multi_setopt(s.multi, CURLMOPT_MAXCONNECTS, static_cast<long>(streams + 1)));
}

HttpLoop::~HttpLoop() = default;

void HttpLoop::start(std::string_view path, std::string_view body, TransferHandler& handler) {
  State& s = *state_;
  std::unique_ptr<Transfer> transfer = s.take_idle();
  transfer->handler = &handler;
  CURL* const e = transfer->easy.get();
  set(e, CURLOPT_URL, (s.endpoint.url + std::string(path)).c_str());
  set(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(e, CURLOPT_POSTFIELDS, body.data());
  s.active[&handler] = std::move(transfer);
  check(curl_multi_add_handle(s.multi, e));
  // On a kept connection the request goes out here, not at the next poll.
  s.act(CURL_SOCKET_TIMEOUT, 0);
}

void HttpLoop::abort(const TransferHandler& handler) {
  State& s = *state_;
  const auto found = s.active.find(&handler);
  if (found == s.active.end()) return;
  check(curl_multi_remove_handle(s.multi, found->second->easy.get()));
  s.active.erase(found);
}

void HttpLoop::poll(Seconds until) {
  State& s = *state_;
  std::array<epoll_event, 1024> events;  // NOLINT: filled by the kernel
  const int ready = wait_for_events(s.epoll, std::min(until, s.timer), events);
  s.round.ready = monotonic_now();
  for (int i = 0; i < ready; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    int mask = 0;
    if ((event.events & EPOLLIN) != 0) mask |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) mask |= CURL_CSELECT_ERR;
    s.act(event.data.fd, mask);
  }
  s.round.ready = kNotReady;
  if (monotonic_now() >= s.timer) {
    s.timer = Seconds::max();
    s.act(CURL_SOCKET_TIMEOUT, 0);
  }
  s.finish_done();
  if (s.round.thrown) std::rethrow_exception(std::exchange(s.round.thrown, nullptr));
}

std::size_t HttpLoop::active() const { return state_->active.size(); }

}  // namespace bench
