#include "sim/web/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "sim/web/request_head.h"

namespace kb::web {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kBacklog = 128;
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

// Takes as long for a wrong token as for the right one.
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

const httplib::Headers& security_headers() {
  static const httplib::Headers headers = {
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

// Only an answer of a request that never reached the library.
std::string plain_answer(int status) {
  const std::string text = std::string(reason_of(status)) + "\n";
  std::string answer = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n", status,
                                   status == kBusy ? "Service Unavailable" : "Bad Request", text.size());
  for (const auto& [name, value] : security_headers()) answer += name + ": " + value + "\r\n";
  return answer + "Connection: close\r\n\r\n" + text;
}

// What the library reads is the head that was checked; what it writes goes to the socket with limits of time.
class CheckedStream final : public httplib::Stream {
 public:
  CheckedStream(int socket, std::string head, const HttpLimits& limits)
      : socket_(socket), head_(std::move(head)), stall_(limits.stall_time), end_(Clock::now() + limits.answer_time) {}

  bool is_readable() const override { return at_ < head_.size(); }
  bool is_writable() const override { return wait_for(socket_, POLLOUT, std::min(end_, Clock::now() + stall_)); }
  ssize_t read(char* target, std::size_t size) override {
    const std::size_t count = std::min(size, head_.size() - at_);
    std::memcpy(target, head_.data() + at_, count);
    at_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    if (!is_writable()) return -1;
    return ::send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = kLoopback;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = kLoopback;
    port = 0;
  }
  socket_t socket() const override { return socket_; }

 private:
  int socket_;
  std::string head_;
  std::size_t at_ = 0;
  std::chrono::milliseconds stall_;
  Clock::time_point end_;
};

// A thread for each connection; those beyond the limit are refused in the thread that accepts them.
class Connections final : public httplib::TaskQueue {
 public:
  explicit Connections(std::size_t most) : most_(most) {}

  static bool refused() { return refuse_; }

  void enqueue(std::function<void()> serve) override {
    {
      const std::lock_guard lock(mutex_);
      if (open_ < most_ && start(serve)) return;
    }
    refuse_ = true;
    serve();
    refuse_ = false;
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [&] { return open_ == 0; });
  }

 private:
  bool start(const std::function<void()>& serve) {
    try {
      std::thread([this, serve] {
        serve();
        const std::lock_guard lock(mutex_);
        if (--open_ == 0) none_.notify_all();
      }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++open_;
    return true;
  }

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t open_ = 0;
  static thread_local bool refuse_;
};
thread_local bool Connections::refuse_ = false;

// The library's default also shares the port with whoever else asks for it.
void set_socket_options(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// A client that still sends would lose the answer when the socket is closed at once.
void close_gently(int socket) {
  ::shutdown(socket, SHUT_WR);
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(200);
  char ignored[4096];
  for (int i = 0; i < 64 && wait_for(socket, POLLIN, end); ++i) {
    if (::recv(socket, ignored, sizeof ignored, 0) <= 0) break;
  }
  ::close(socket);
}

class Implementation final : public httplib::Server {
 public:
  Implementation(HttpServer::Handler handler, const HttpLimits& limits)
      : handler_(std::move(handler)), limits_(limits), token_(random_token()), secret_(random_token()) {
    new_task_queue = [this] { return new Connections(limits_.connections); };
    httplib::Server::set_socket_options(&web::set_socket_options);
    set_default_headers(security_headers());
    set_tcp_nodelay(true);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr) { refuse(response, kFailed); });
  }

  void begin(int port) {
    port_ = port == 0 ? bind_to_any_port(kLoopback) : (bind_to_port(kLoopback, port) ? port : -1);
    if (port_ <= 0) {
      throw Error::configuration(
          fmt::format("port {} of {} cannot be used: {}; give another one with --port, or 0 for any free one", port,
                      kLoopback, errno == EADDRINUSE ? "another program has it" : std::strerror(errno)));
    }
    ::listen(svr_sock_, kBacklog);
    thread_ = std::thread([this] {
      listen_after_bind();
      thread_ended_ = true;
    });
  }

  void end() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    while (!is_running() && !thread_ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    thread_.join();
  }

  int port() const { return port_; }
  std::string url(const std::string& token) const {
    return fmt::format("http://{}:{}/?token={}", kLoopback, port_, token);
  }
  const std::string& token() const { return token_; }
  std::string add_token_for_one_use() {
    const std::lock_guard lock(mutex_);
    return *one_use_.insert(random_token()).first;
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    if (Connections::refused() || stopping_) {
      const std::string text = plain_answer(kBusy);
      ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::close(socket);
      return false;
    }
    {
      const std::lock_guard lock(mutex_);
      open_.insert(socket);
    }
    serve(socket);
    {
      const std::lock_guard lock(mutex_);
      open_.erase(socket);
    }
    close_gently(socket);
    return true;
  }

  void serve(socket_t socket) {
    const RequestHead head = read_head(socket, limits_.head_time, limits_.head_bytes);
    if (head.status < 0) return;
    if (head.status > 0) {
      CheckedStream stream(socket, "", limits_);
      const std::string text = plain_answer(head.status);
      stream.write(text.data(), text.size());
      return;
    }
    CheckedStream stream(socket,
                         fmt::format("{}\r\nHost: {}\r\nCookie: {}\r\n\r\n", head.request_line, head.host, head.cookie),
                         limits_);
    bool closed = false;
    try {
      process_request(stream, true, closed, nullptr);
    } catch (...) {
      // In the middle of an answer: that it is cut off tells the client.
    }
  }

  static void refuse(httplib::Response& response, int status) {
    response.status = status;
    if (status == kNotAllowed) response.set_header("Allow", "GET, HEAD");
    response.set_content(std::string(reason_of(status)) + "\n", "text/plain");
  }

  bool known_host(const std::string& host) const {
    return host == fmt::format("{}:{}", kLoopback, port_) || host == fmt::format("localhost:{}", port_);
  }

  std::string cookie_name() const { return fmt::format("kernbench_{}", port_); }  // cookies know no ports

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

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (request.method != "GET" && request.method != "HEAD") return refuse(response, kNotAllowed);
    if (!known_host(request.get_header_value("Host"))) return refuse(response, kForbidden);
    if (!has_cookie(request.get_header_value("Cookie"))) {
      const bool entry = request.path == "/" && request.has_param("token");
      if (!entry || !takes_token(request.get_param_value("token"))) return refuse(response, kForbidden);
      // The page itself follows and not a redirection, in which a browser would hold back a cookie of this kind.
      response.set_header("Set-Cookie",
                          fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(), secret_));
    }
    HttpResponse result = handler_({request.path, {request.params.begin(), request.params.end()}});
    response.status = result.status;
    if (!result.file_name.empty()) {
      response.set_header("Content-Disposition", "attachment; filename=\"" + result.file_name + "\"");
    }
    if (!result.next_piece) return response.set_content(std::move(result.body), result.type);
    response.set_chunked_content_provider(result.type,
                                          [next = std::move(result.next_piece)](std::size_t, httplib::DataSink& sink) {
                                            std::string piece;
                                            const bool more = next(piece);
                                            if (!piece.empty() && !sink.write(piece.data(), piece.size())) return false;
                                            if (!more) sink.done();
                                            return true;
                                          });
  }

  HttpServer::Handler handler_;
  HttpLimits limits_;
  std::string token_, secret_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<bool> stopping_{false}, thread_ended_{false};
  std::mutex mutex_;
  std::set<int> open_;
  std::set<std::string> one_use_;
};

// Has the implementation and does not inherit it: the library's class has functions of the same names.
class ServerOfLibrary final : public HttpServer {
 public:
  ServerOfLibrary(Handler handler, const HttpLimits& limits) : implementation_(std::move(handler), limits) {}
  ~ServerOfLibrary() override { implementation_.end(); }
  ServerOfLibrary(const ServerOfLibrary&) = delete;
  ServerOfLibrary& operator=(const ServerOfLibrary&) = delete;

  void start(int port) override { implementation_.begin(port); }
  void stop() override { implementation_.end(); }
  int port() const override { return implementation_.port(); }
  std::string url() const override { return implementation_.url(implementation_.token()); }
  std::string url_for_one_use() override { return implementation_.url(implementation_.add_token_for_one_use()); }

 private:
  Implementation implementation_;
};

}  // namespace

std::unique_ptr<HttpServer> make_http_server(HttpServer::Handler handler, const HttpLimits& limits) {
  return std::make_unique<ServerOfLibrary>(std::move(handler), limits);
}

}  // namespace kb::web
