// An HTTP server for one user of this computer: it listens on the loopback interface only, and requires a token.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kb::web {

struct HttpRequest {
  std::string path;
  std::multimap<std::string, std::string> parameters;

  // The first parameter with this name; no value when there is none.
  std::optional<std::string> parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::nullopt : std::optional(found->second);
  }
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::string file_name;  // not empty: the browser saves the answer under this name
  // Used instead of `body`: returns the next piece, and false after the last one. An exception aborts the answer.
  std::function<bool(std::string& piece)> next_piece;
};

struct HttpLimits {
  std::size_t head_bytes = std::size_t{16} << 10;  // request line and headers
  std::size_t connections = 64;
  std::chrono::milliseconds head_time{10'000};     // time limit for the headers
  std::chrono::milliseconds stall_time{10'000};    // time limit without progress of the client
  std::chrono::milliseconds answer_time{600'000};  // time limit for the whole answer
};

// Supports GET and HEAD. A request is answered when its Host is this server and it has the token: in `/?token=...`,
// which sets a cookie (HttpOnly, SameSite=Strict), or in that cookie. Other requests get 400, 403, 405, 408, 431 or
// 503. Each connection serves one request in a separate thread.
class HttpServer {
 public:
  // May be called by several threads concurrently; an exception becomes status 500 without its text.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  HttpServer() = default;
  virtual ~HttpServer() = default;  // calls stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Listens on the port of 127.0.0.1 and begins to answer; 0 selects a free port. Configuration Error when the port is
  // in use.
  virtual void start(int port) = 0;
  // Ends all connections; returns when no answer is in progress.
  virtual void stop() = 0;

  virtual int port() const = 0;
  // The URL with the token, to print for the user.
  virtual std::string url() const = 0;
  // A URL with a single-use token, for a command line that others may see.
  virtual std::string url_for_one_use() = 0;
};

// Defined in the server's library, which load_http_server() (http_module.h) loads.
std::unique_ptr<HttpServer> make_http_server(HttpServer::Handler handler, const HttpLimits& limits = {});

}  // namespace kb::web
