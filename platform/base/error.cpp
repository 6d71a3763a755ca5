#include "platform/base/error.h"

#include <fmt/format.h>

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

}  // namespace kb
