#include "platform/topology/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kb::topology {

std::optional<std::string> read_file(const std::string& file, const std::string& missing,
                                     std::vector<Diagnostic>& diagnostics) {
  const auto fail = [&](const std::string& message, const std::string& remedy) {
    diagnostics.push_back({"", 0, 0, "", message, remedy});
    return std::nullopt;
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    return fail(fmt::format("there is no file '{}'", file), missing);
  }
  if (std::filesystem::is_directory(status)) {
    return fail(fmt::format("'{}' is a directory", file), "name a YAML file in it");
  }
  if (!std::filesystem::is_regular_file(status)) return fail(fmt::format("'{}' is not a regular file", file), "");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) {
    return fail(fmt::format("'{}' cannot be read: {}", file, std::strerror(errno)), "check its permissions");
  }
  return text.str();
}

void throw_if_any(std::vector<Diagnostic> diagnostics) {
  if (diagnostics.empty()) return;
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    const bool a_placed = a.line > 0;
    const bool b_placed = b.line > 0;
    if (a_placed != b_placed) return a_placed;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  throw Error(std::move(diagnostics));
}

}  // namespace kb::topology
