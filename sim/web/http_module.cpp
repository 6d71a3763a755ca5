#include "sim/web/http_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "platform/base/error.h"

namespace kb::web {
namespace {

namespace fs = std::filesystem;

// The path is relative to the program, because the loader's search could find the library of another installation.
std::string library_file() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / KB_HTTP_LIBRARY).lexically_normal().string();
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error::configuration(
      fmt::format("the server of the page cannot be loaded: {}; it is installed beside kernbench, so build or install "
                  "both again",
                  problem));
}

}  // namespace

std::unique_ptr<HttpServer> load_http_server(HttpServer::Handler handler, const HttpLimits& limits) {
  const std::string file = library_file();
  std::error_code error;
  if (!fs::exists(file, error)) refuse("there is no '" + file + "'");
  // The library stays open, because its code runs until the end of the process.
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(::dlerror());
  const auto make = reinterpret_cast<HttpServerFunction>(::dlsym(library, kHttpServerSymbol));
  if (make == nullptr) refuse("'" + file + "' is of another kernbench");
  return std::unique_ptr<HttpServer>(make(handler, limits));
}

}  // namespace kb::web
