// What the program looks for in the library of the server (http_module.cpp).
#include <utility>

#include "sim/web/http_module.h"

extern "C" __attribute__((visibility("default"))) kb::web::HttpServer* kernbench_http_server(
    kb::web::HttpServer::Handler& handler, const kb::web::HttpLimits& limits) {
  return kb::web::make_http_server(std::move(handler), limits).release();
}
