#include "sim/web/http_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "sim/web/http_library.h"
#include "sim/web/request_head.h"

namespace kb::web {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kBacklog = 128;
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr int kForbidden = 403, kNotAllowed = 405, kBusy = 503, kFailed = 500;

std::string random_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw Error::configuration("the system gives no random numbers for the token of the page");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Takes equally long for wrong and right tokens.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned>(static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

const char* reason_of(int status) {
  switch (status) {
    case 400:
      return "the request is malformed";
    case kForbidden:
      return "this page is for the user who started kernbench web; open the address that it printed";
    case kNotAllowed:
      return "only GET and HEAD are answered";
    case 408:
      return "the request did not arrive in time";
    case 431:
      return "the request is too large";
    case kBusy:
      return "too many connections at once; try again";
    default:
      return "the request failed";
  }
}

const std::vector<std::pair<std::string, std::string>>& security_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  return headers;
}

// An answer to a request that never reached the library.
std::string plain_answer(int status) {
  const std::string text = std::string(reason_of(status)) + "\n";
  std::string answer = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n", status,
                                   status == kBusy ? "Service Unavailable" : "Bad Request", text.size());
  for (const auto& [name, value] : security_headers()) answer += name + ": " + value + "\r\n";
  return answer + "Connection: close\r\n\r\n" + text;
}

// A limited number of threads, each for one connection.
class ConnectionThreads {
 public:
  explicit ConnectionThreads(std::size_t most) : most_(most) {}

  // Returns false when there are too many threads, or the system refuses one.
  bool start(std::function<void()> serve) {
    const std::lock_guard lock(mutex_);
    if (open_ >= most_) return false;
    try {
      std::thread([this, serve = std::move(serve)] {
        serve();
        const std::lock_guard ended(mutex_);
        if (--open_ == 0) none_.notify_all();
      }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++open_;
    return true;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [&] { return open_ == 0; });
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t open_ = 0;
};

// Opens a socket that listens at a port of the loopback interface; for 0 any free port, which is stored in `port`.
// Returns -1 with errno on failure.
int listening_socket(int& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);  // allows the port of a server that has just ended
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, any, size) != 0 || ::listen(socket, kBacklog) != 0 || ::getsockname(socket, any, &size) != 0) {
    const int cause = errno;
    ::close(socket);
    errno = cause;
    return -1;
  }
  port = ntohs(address.sin_port);
  return socket;
}

// Sends all bytes unless the client accepts none for the stall time, or `end` comes.
bool send_all(int socket, const char* bytes, std::size_t size, std::chrono::milliseconds stall, Clock::time_point end) {
  while (size > 0) {
    if (!wait_for(socket, POLLOUT, std::min(end, Clock::now() + stall))) return false;
    const ssize_t count = ::send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Closing the socket immediately would lose the answer of a client that is still sending.
void close_gently(int socket) {
  ::shutdown(socket, SHUT_WR);
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(200);
  char ignored[4096];
  for (int i = 0; i < 64 && wait_for(socket, POLLIN, end); ++i) {
    if (::recv(socket, ignored, sizeof ignored, 0) <= 0) break;
  }
  ::close(socket);
}

// Accepts connections, reads and checks the head of each request, and relays the answer of the library. Limits of time,
// bytes and connections are enforced here, and the library only sees valid heads.
class CheckingServer final : public HttpServer {
 public:
  CheckingServer(Handler handler, const HttpLimits& limits)
      : handler_(std::move(handler)), limits_(limits), threads_(limits.connections) {}
  ~CheckingServer() override { end(); }
  CheckingServer(const CheckingServer&) = delete;
  CheckingServer& operator=(const CheckingServer&) = delete;

  void start(int port) override {
    port_ = port;
    listening_ = listening_socket(port_);
    if (listening_ < 0) {
      throw Error::configuration(
          fmt::format("port {} of {} cannot be used: {}; give another one with --port, or 0 for any free one", port,
                      kLoopback, errno == EADDRINUSE ? "another program has it" : std::strerror(errno)));
    }
    library_ = std::make_unique<HttpLibrary>(
        [this](const std::string& method, const std::string& host, const std::string& cookies,
               const HttpRequest& request) { return answer(method, host, cookies, request); },
        security_headers());
    accepting_ = std::thread([this] { accept_connections(); });
  }

  void stop() override { end(); }
  int port() const override { return port_; }
  std::string url() const override { return url_with(token_); }
  std::string url_for_one_use() override {
    const std::lock_guard lock(mutex_);
    return url_with(*one_use_.insert(random_token()).first);
  }

 private:
  std::string url_with(const std::string& token) const {
    return fmt::format("http://{}:{}/?token={}", kLoopback, port_, token);
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    if (accepting_.joinable()) {
      ::shutdown(listening_, SHUT_RDWR);  // accept() returns
      accepting_.join();
    }
    threads_.wait();
    if (library_) library_->stop();
    if (listening_ >= 0) ::close(listening_);
    listening_ = -1;
  }

  void accept_connections() {
    while (!stopping_) {
      const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) {  // too many open files is a temporary condition
        if (errno != EINTR && !stopping_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      if (threads_.start([this, socket] { serve_and_close(socket); })) continue;
      const std::string text = plain_answer(kBusy);
      ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::close(socket);
    }
  }

  void serve_and_close(int socket) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) ::shutdown(socket, SHUT_RDWR);
      open_.insert(socket);
    }
    serve(socket);
    {
      const std::lock_guard lock(mutex_);
      open_.erase(socket);
    }
    close_gently(socket);
  }

  void serve(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const RequestHead head = read_head(socket, limits_.head_time, limits_.head_bytes);
    if (head.status < 0) return;
    const Clock::time_point end = Clock::now() + limits_.answer_time;
    const int status = head.status > 0 ? head.status : relay(head, socket, end);
    if (status == 0) return;
    const std::string text = plain_answer(status);
    send_all(socket, text.data(), text.size(), limits_.stall_time, end);
  }

  // Passes one end of a socket pair with the head to the library, and its answer to the client. Returns the status to
  // answer when the library fails; 0 otherwise.
  int relay(const RequestHead& head, int client, Clock::time_point end) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return kBusy;
    const auto [ours, theirs] = pair;
    std::string text = fmt::format("{}\r\nHost: {}\r\n", head.request_line, head.host);
    if (!head.cookie.empty()) text += "Cookie: " + head.cookie + "\r\n";
    text += "\r\n";
    const bool sent = send_all(ours, text.data(), text.size(), limits_.stall_time, end);
    if (!sent) ::close(theirs);
    const bool taken = sent && library_->serve(theirs);
    std::vector<char> buffer(kBufferBytes);
    while (taken) {
      const ssize_t count = ::recv(ours, buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      if (!send_all(client, buffer.data(), static_cast<std::size_t>(count), limits_.stall_time, end)) break;
    }
    ::close(ours);
    return taken ? 0 : kBusy;
  }

  static HttpAnswer refusal(int status) {
    HttpAnswer answer;
    answer.response.status = status;
    answer.response.type = "text/plain";
    answer.response.body = std::string(reason_of(status)) + "\n";
    if (status == kNotAllowed) answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }

  bool known_host(const std::string& host) const {
    return host == fmt::format("{}:{}", kLoopback, port_) || host == fmt::format("localhost:{}", port_);
  }

  std::string cookie_name() const {
    return fmt::format("kernbench_{}", port_);
  }  // because cookies are shared by all ports

  bool has_cookie(const std::string& cookies) const {
    const std::string expected = cookie_name() + "=" + secret_;
    for (const std::string& cookie : split(cookies, ';')) {
      const std::size_t begin = cookie.find_first_not_of(' ');
      if (begin != std::string::npos && same_secret(cookie.substr(begin), expected)) return true;
    }
    return false;
  }

  bool takes_token(const std::string& token) {
    if (same_secret(token, token_)) return true;
    const std::lock_guard lock(mutex_);
    return one_use_.erase(token) != 0;
  }

  HttpAnswer answer(const std::string& method, const std::string& host, const std::string& cookies,
                    const HttpRequest& request) {
    if (method != "GET" && method != "HEAD") return refusal(kNotAllowed);
    if (!known_host(host)) return refusal(kForbidden);
    HttpAnswer answer;
    if (!has_cookie(cookies)) {
      const std::optional<std::string> token = request.parameter("token");
      if (request.path != "/" || !token || !takes_token(*token)) return refusal(kForbidden);
      // Answers with the page itself, because a browser would withhold a cookie of this kind after a redirection.
      answer.headers.emplace_back("Set-Cookie",
                                  fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(), secret_));
    }
    try {
      answer.response = handler_(request);
    } catch (...) {
      return refusal(kFailed);
    }
    if (!answer.response.file_name.empty()) {
      answer.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + answer.response.file_name + "\"");
    }
    return answer;
  }

  Handler handler_;
  HttpLimits limits_;
  std::string token_ = random_token(), secret_ = random_token();
  int port_ = 0, listening_ = -1;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::set<int> open_;
  std::set<std::string> one_use_;
  ConnectionThreads threads_;
  std::unique_ptr<HttpLibrary> library_;
  std::thread accepting_;
};

}  // namespace

std::unique_ptr<HttpServer> make_http_server(HttpServer::Handler handler, const HttpLimits& limits) {
  return std::make_unique<CheckingServer>(std::move(handler), limits);
}

}  // namespace kb::web
