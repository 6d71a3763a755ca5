// The server is a separate shared library, because loading its dependencies would slow down every command, and only
// `kernbench web` needs them.
#pragma once

#include <memory>

#include "sim/web/http_server.h"

namespace kb::web {

inline constexpr const char* kHttpServerSymbol = "kernbench_http_server";
using HttpServerFunction = HttpServer* (*)(HttpServer::Handler&, const HttpLimits&);

// Calls make_http_server() of the library that is installed with the program. Configuration Error when it cannot be
// loaded.
std::unique_ptr<HttpServer> load_http_server(HttpServer::Handler handler, const HttpLimits& limits = {});

}  // namespace kb::web
