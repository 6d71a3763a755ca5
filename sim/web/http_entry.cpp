// Entry point of the server's library, which the program looks up (http_module.cpp).
#include <utility>

#include "sim/web/http_module.h"

extern "C" __attribute__((visibility("default"))) kb::web::HttpServer* kernbench_http_server(
    kb::web::HttpServer::Handler& handler, const kb::web::HttpLimits& limits) {
  return kb::web::make_http_server(std::move(handler), limits).release();
}
