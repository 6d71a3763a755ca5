// The server against who must not be served, and who never ends.
#include "sim/web/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/base/error.h"
#include "sim/web/request_head.h"

namespace kb::web {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }
  bool send(const std::string& text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // Everything until the server closes; "(no end)" when it does not for a minute.
  std::string receive() const {
    std::string text;
    char buffer[4096];
    while (wait_for(socket_, POLLIN, std::chrono::steady_clock::now() + 60s)) {
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
    }
    return text + "(no end)";
  }

 private:
  int socket_;
  bool connected_ = false;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() { begin({}); }

  void begin(const HttpLimits& limits) {
    server_ = make_http_server(
        [](const HttpRequest& request) {
          if (request.path == "/fails") throw std::runtime_error("a secret of the inside");
          HttpResponse response;
          response.body = "content of " + request.path + " " + request.parameter("a").value_or("-");
          if (request.path == "/large") response.body = std::string(std::size_t{32} << 20, 'x');
          if (request.path == "/empty") response.body = "";
          if (request.path == "/breaks") {
            response.next_piece = [](std::string&) -> bool { throw std::runtime_error("a secret of the inside"); };
          }
          if (request.path == "/pieces") {
            auto left = std::make_shared<int>(3);
            response.next_piece = [left](std::string& piece) { return piece = "piece;", --*left > 0; };
          }
          return response;
        },
        limits);
    server_->start(0);
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  std::string target() const { return server_->url().substr(server_->url().find("/?")); }
  std::string ask(const std::string& text) const {
    const Connection connection(server_->port());
    connection.send(text);
    return connection.receive();
  }
  std::string get(const std::string& target, const std::string& more = "") const {
    return ask("GET " + target + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more + "\r\n");
  }
  // Asks again for a minute.
  void get_until(const std::string& status, const std::string& target, const std::string& more = "") const {
    std::string answer;
    for (int i = 0; i < 600 && answer.rfind("HTTP/1.1 " + status, 0) != 0; ++i) {
      if (i > 0) std::this_thread::sleep_for(100ms);
      answer = get(target, more);
    }
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + status));
  }
  std::string cookie() const {
    const std::string answer = get(target());
    const std::size_t begin = answer.find("Set-Cookie: ") + 12;
    return "Cookie: " + answer.substr(begin, answer.find(';', begin) - begin) + "\r\n";
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, TheTokenGivesTheCookieAndTheCookieThePages) {
  const std::string first = get(target());
  EXPECT_THAT(first, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(first, HasSubstr("content of / -"));
  EXPECT_THAT(first, HasSubstr("; HttpOnly; SameSite=Strict; Path=/\r\n"));
  EXPECT_THAT(first, HasSubstr("default-src 'none'; script-src 'self'"));
  EXPECT_THAT(first, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(get("/page?a=b%20c", cookie()), HasSubstr("content of /page b c"));
  EXPECT_THAT(get("/page?a=1&a=2", cookie()), HasSubstr("content of /page 1"));
  EXPECT_THAT(get("/pieces", cookie()), HasSubstr("piece;"));
}

TEST_F(HttpServerTest, WithoutTokenOrCookieNothingIsServed) {
  std::string wrong = cookie();
  wrong[wrong.size() - 3] = wrong[wrong.size() - 3] == '0' ? '1' : '0';
  for (const std::string& answer :
       {get("/"), get("/page"), get("/?token="), get("/?token=0"), get("/page?token=" + target().substr(8)),
        get("/page", wrong), get("/page", "Cookie: a=b; ; =\r\n")}) {
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(answer, Not(HasSubstr("content of")));
    EXPECT_THAT(answer, Not(HasSubstr("Set-Cookie")));
  }
}

TEST_F(HttpServerTest, ATokenForOneUseIsGoodOnce) {
  const std::string url = server_->url_for_one_use();
  EXPECT_THAT(get(url.substr(url.find("/?"))), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get(url.substr(url.find("/?"))), StartsWith("HTTP/1.1 403"));
}

TEST_F(HttpServerTest, AnotherHostIsRefused) {
  const std::string with_cookie = cookie();
  const auto with_host = [&](const std::string& host) {
    return ask("GET /page HTTP/1.1\r\n" + host + with_cookie + "\r\n");
  };
  EXPECT_THAT(with_host("Host: localhost:" + std::to_string(server_->port()) + "\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(with_host("Host: evil.example\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(with_host("Host: 127.0.0.1\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(with_host("Host: evil.example:" + std::to_string(server_->port()) + "\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(with_host(""), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(with_host("Host: " + host() + "\r\nHost: evil.example\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(HttpServerTest, OnlyGetAndHead) {
  const std::string rest = " /page HTTP/1.1\r\nHost: " + host() + "\r\n" + cookie();
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"}) {
    const std::string answer = ask(method + rest + "Content-Length: 5\r\n\r\nhello");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 405")) << method;
    EXPECT_THAT(answer, HasSubstr("Allow: GET, HEAD")) << method;
  }
  EXPECT_THAT(ask("BREW" + rest + "\r\n"), StartsWith("HTTP/1.1 400"));
  const std::string head = ask("HEAD" + rest + "\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 18"));
  EXPECT_THAT(head, Not(HasSubstr("content of")));
}

TEST_F(HttpServerTest, HeadersThatTheLibraryWouldHandleAreNotSeenByIt) {
  std::string ranges = "Range: bytes=0-1";
  for (int i = 0; i < 3000; ++i) ranges += ",0-1";
  EXPECT_THAT(get("/page", cookie() + ranges + "\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/page", cookie() + "Accept-Encoding: gzip, br\r\n"), HasSubstr("content of /page"));
  EXPECT_THAT(get("/page", cookie() + "Expect: 100-continue\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, MalformedRequestsAreRefused) {
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(900, '\0') + "\r\n\r\n",
        "GET /\x01 HTTP/1.1\r\nHost: " + host() + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: " + host() + "\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: " + host() + "\r\nno colon\r\n\r\n", "GET / FTP/9\r\nHost: " + host() + "\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: " + host() + "\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: " + host() + "\r\n\r\n",
        "GET page HTTP/1.1\r\nHost: " + host() + "\r\n\r\n", "get / HTTP/1.1\r\nHost: " + host() + "\r\n\r\n",
        "GET /page%00.js HTTP/1.1\r\nHost: " + host() + "\r\n\r\n"}) {
    EXPECT_THAT(ask(text), StartsWith("HTTP/1.1 400"));
  }
  EXPECT_THAT(get("/%2e%2e/%2e%2e/etc/passwd"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(get("/page"), StartsWith("HTTP/1.1 403")) << "it goes on";
}

TEST_F(HttpServerTest, AnswersAreComplete) {
  const std::string with_cookie = cookie();
  const std::string empty = get("/empty", with_cookie);
  EXPECT_THAT(empty, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(empty, HasSubstr("Content-Length: 0\r\n"));
  const std::string large = get("/large", with_cookie);
  EXPECT_EQ(large.size() - large.find("\r\n\r\n") - 4, std::size_t{32} << 20);
  const std::string pieces = get("/pieces", with_cookie);
  EXPECT_THAT(pieces, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(pieces, testing::EndsWith("\r\n0\r\n\r\n"));
  const std::string old = ask("GET /pieces HTTP/1.0\r\nHost: " + host() + "\r\n" + with_cookie + "\r\n");
  EXPECT_THAT(old, testing::EndsWith("\r\n\r\npiece;piece;piece;")) << "HTTP/1.0 knows no chunks";
}

TEST_F(HttpServerTest, AConnectionLeavesNoFileOpen) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const std::string with_cookie = cookie();
  const auto before = open_files();
  for (int i = 0; i < 100; ++i) get(i % 2 == 0 ? "/page" : "/breaks", i % 3 == 0 ? "" : with_cookie);
  for (int i = 0; i < 600 && open_files() > before + 2; ++i) std::this_thread::sleep_for(100ms);
  EXPECT_LE(open_files(), before + 2);
}

TEST_F(HttpServerTest, TooLargeRequestsAreRefused) {
  EXPECT_THAT(get("/page", "X: " + std::string(20'000, 'x') + "\r\n"), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(get("/" + std::string(20'000, 'x')), StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpServerTest, AFailureInsideSaysNothingOfIt) {
  const std::string answer = get("/fails", cookie());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, Not(HasSubstr("secret")));
}

TEST_F(HttpServerTest, AFailureInTheMiddleCutsTheAnswerOff) {
  const std::string with_cookie = cookie();
  EXPECT_THAT(get("/breaks", with_cookie), Not(HasSubstr("0\r\n\r\n"))) << "the end of a complete answer";
  EXPECT_THAT(get("/page", with_cookie), StartsWith("HTTP/1.1 200")) << "it goes on";
}

TEST_F(HttpServerTest, SlowClientsAreEndedAndOthersServed) {
  HttpLimits limits;
  limits.head_time = 3000ms;
  begin(limits);
  const std::string with_cookie = cookie();
  const Connection silent(server_->port()), slow(server_->port());
  slow.send("GET / HTTP/1.1\r\nHost: ");
  EXPECT_THAT(get("/page", with_cookie), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(silent.receive(), "");
  EXPECT_THAT(slow.receive(), StartsWith("HTTP/1.1 408"));
}

// The only connection that there may be is free again.
TEST_F(HttpServerTest, WhoTakesNothingOfAnAnswerIsEnded) {
  HttpLimits limits;
  limits.connections = 1;
  limits.stall_time = 200ms;
  begin(limits);
  const std::string with_cookie = cookie();
  get_until("200", "/page", with_cookie);
  const Connection never_reads(server_->port());
  never_reads.send("GET /large HTTP/1.1\r\nHost: " + host() + "\r\n" + with_cookie + "\r\n");
  get_until("200", "/page", with_cookie);
}

TEST_F(HttpServerTest, ManyConnectionsAreRefusedAndThenServedAgain) {
  HttpLimits limits;
  limits.connections = 4;
  limits.head_time = 600'000ms;
  begin(limits);
  std::vector<std::unique_ptr<Connection>> open;
  for (int i = 0; i < 4; ++i) open.push_back(std::make_unique<Connection>(server_->port()));
  get_until("503", "/page");
  open.clear();
  get_until("403", "/page");
}

TEST_F(HttpServerTest, StopEndsWhatIsOpen) {
  const Connection silent(server_->port());
  server_->stop();
  EXPECT_EQ(silent.receive().find("(no end)"), std::string::npos);
  EXPECT_FALSE(Connection(server_->port()).connected());
  server_->stop();
}

TEST_F(HttpServerTest, ManyAskWhileItStops) {
  const std::string with_cookie = cookie();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string request = "GET /" + std::string(thread % 2 == 0 ? "large" : "page") +
                                  " HTTP/1.1\r\nHost: " + host() + "\r\n" + with_cookie + "\r\n";
      for (bool answered = true; answered;) answered = !ask(request).empty();
    });
  }
  EXPECT_THAT(server_->url_for_one_use(), HasSubstr("token="));
  EXPECT_THAT(get("/page", with_cookie), StartsWith("HTTP/1.1 200"));
  server_->stop();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HttpServerTest, APortThatIsTakenIsAnErrorWithARemedy) {
  const std::unique_ptr<HttpServer> other = make_http_server([](const HttpRequest&) { return HttpResponse(); });
  try {
    other->start(server_->port());
    FAIL() << "two servers share a port";
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), HasSubstr("port " + std::to_string(server_->port())));
    EXPECT_THAT(error.what(), HasSubstr("another program has it; give another one with --port"));
  }
}

TEST_F(HttpServerTest, IsNotReachedFromOutside) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
  ::inet_pton(AF_INET, "127.0.0.2", &address.sin_addr);  // this computer, but not the address of the server
  EXPECT_NE(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
}

}  // namespace
}  // namespace kb::web
