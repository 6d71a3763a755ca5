// Wrapper of libmicrohttpd, which answers a request on a socket. Only its source includes the library's header.
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
  std::vector<std::pair<std::string, std::string>> headers;  // in addition to the common headers
};

class HttpLibrary {
 public:
  // Called in the request's thread; must not throw.
  using Answer = std::function<HttpAnswer(const std::string& method, const std::string& host,
                                          const std::string& cookies, const HttpRequest& request)>;

  // Configuration Error when the library cannot start. `headers` are sent with every answer.
  HttpLibrary(Answer answer, std::vector<std::pair<std::string, std::string>> headers);
  ~HttpLibrary();  // calls stop()
  HttpLibrary(const HttpLibrary&) = delete;
  HttpLibrary& operator=(const HttpLibrary&) = delete;

  // Answers the one request on the socket, in a thread of the library, and then closes the socket. Returns false on
  // failure; the socket is closed in this case as well.
  bool serve(int socket);
  // Ends all answers; returns when the threads have ended.
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
