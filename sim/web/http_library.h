// libmicrohttpd, which answers a request that waits in a socket. No other file includes its header.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/web/http_server.h"

struct MHD_Daemon;

namespace kb::web {

struct HttpAnswer {
  HttpResponse response;
  std::vector<std::pair<std::string, std::string>> headers;  // beside the ones that every answer has
};

class HttpLibrary {
 public:
  // Called in the thread of the request; may not throw.
  using Answer = std::function<HttpAnswer(const std::string& method, const std::string& host,
                                          const std::string& cookies, const HttpRequest& request)>;

  // Configuration Error when the library cannot start. `headers` are those of every answer.
  HttpLibrary(Answer answer, std::vector<std::pair<std::string, std::string>> headers);
  ~HttpLibrary();  // stop()
  HttpLibrary(const HttpLibrary&) = delete;
  HttpLibrary& operator=(const HttpLibrary&) = delete;

  // Answers the one request that the socket holds, in a thread of the library, and closes the socket after it. False
  // when it cannot; the socket is closed then too.
  bool serve(int socket);
  // Ends every answer; returns when the threads have ended.
  void stop();

  HttpAnswer answer(const std::string& method, const std::string& host, const std::string& cookies,
                    const HttpRequest& request) const {
    return answer_(method, host, cookies, request);
  }
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }

 private:
  Answer answer_;
  std::vector<std::pair<std::string, std::string>> headers_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace kb::web
