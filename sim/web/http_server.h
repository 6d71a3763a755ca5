// A server for one user of this computer: it answers on the loopback interface alone, and only to who knows its token.
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

  // The first of this name; none when there is none.
  std::optional<std::string> parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::nullopt : std::optional(found->second);
  }
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::string file_name;  // not empty: the browser saves it under this name
  // In place of `body`: gives the next piece, and false after the last one. An exception cuts the answer off.
  std::function<bool(std::string& piece)> next_piece;
};

struct HttpLimits {
  std::size_t head_bytes = std::size_t{16} << 10;  // of request line and headers
  std::size_t connections = 64;
  std::chrono::milliseconds head_time{10'000};     // until the headers are there
  std::chrono::milliseconds stall_time{10'000};    // in which the client takes nothing of the answer
  std::chrono::milliseconds answer_time{600'000};  // until all of the answer is taken
};

// GET and HEAD. A request is answered when its Host is this server and it brings the token: in `/?token=...`, which
// sets a cookie (HttpOnly, SameSite=Strict), or in that cookie. Everything else is 400, 403, 405, 408, 431 or 503. Each
// connection serves one request on a thread of its own.
class HttpServer {
 public:
  // May be called from several threads at once; an exception becomes status 500 without its text.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  HttpServer() = default;
  virtual ~HttpServer() = default;  // stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Takes the port on 127.0.0.1 and begins to answer; 0 is any free one. Configuration Error when it is taken.
  virtual void start(int port) = 0;
  // Ends all connections; returns when nothing is being answered any more.
  virtual void stop() = 0;

  virtual int port() const = 0;
  // With the token, for people.
  virtual std::string url() const = 0;
  // With a token that is good for one use, for a command line that others may see.
  virtual std::string url_for_one_use() = 0;
};

// In the library of the server, which the program loads: load_http_server() of http_module.h.
std::unique_ptr<HttpServer> make_http_server(HttpServer::Handler handler, const HttpLimits& limits = {});

}  // namespace kb::web
