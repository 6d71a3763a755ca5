// The server is a shared library of its own: those that it needs in turn would cost the start of every command, and
// only `kernbench web` serves.
#pragma once

#include <memory>

#include "sim/web/http_server.h"

namespace kb::web {

inline constexpr const char* kHttpServerSymbol = "kernbench_http_server";
using HttpServerFunction = HttpServer* (*)(HttpServer::Handler&, const HttpLimits&);

// make_http_server() of the library that is installed beside the program. Configuration Error when it cannot be loaded.
std::unique_ptr<HttpServer> load_http_server(HttpServer::Handler handler, const HttpLimits& limits = {});

}  // namespace kb::web
