#include "platform/base/error.h"

#include <fmt/format.h>

#include <new>

namespace kb {

int exit_code(ErrorFamily family) {
  switch (family) {
    case ErrorFamily::configuration:
      return 2;
    case ErrorFamily::program:
      return 1;
    case ErrorFamily::model:
      return 3;
    case ErrorFamily::no_progress:
      return 4;
  }
  return 3;
}

std::string Diagnostic::text() const {
  std::string out;
  if (!file.empty()) {
    out += file;
    if (line > 0) out += fmt::format(":{}", line);
    if (line > 0 && column > 0) out += fmt::format(":{}", column);
    out += ": ";
  }
  if (!key.empty()) out += key + ": ";
  out += message;
  if (!remedy.empty()) out += fmt::format(" ({})", remedy);
  return out;
}

namespace {
std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (!out.empty()) out += "\n";
    out += d.text();
  }
  return out;
}
}  // namespace

Error::Error(ErrorFamily family, std::string code, const std::string& message)
    : std::runtime_error(message), family_(family), code_(std::move(code)) {}

Error::Error(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)),
      family_(ErrorFamily::configuration),
      code_("CONFIGURATION_ERROR"),
      diagnostics_(std::move(diagnostics)) {}

Error error_of_program(const std::exception& thrown, const std::string& where) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr ||
                      dynamic_cast<const std::length_error*>(&thrown) != nullptr;
  if (!memory) return Error::program("BENCH_ERROR", where + thrown.what());
  return Error::program("OUT_OF_MEMORY",
                        where + "its data does not fit the memory of this computer; choose smaller parameters");
}

}  // namespace kb
