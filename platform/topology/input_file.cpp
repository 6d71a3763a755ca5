#include "platform/topology/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/topology/yaml_tree.h"

namespace kb::topology {

namespace {

// Reads at most one byte more than a file may have, because some files in /proc block at their end.
int read_bounded(const std::string& file, std::string& text) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno;
  std::size_t size = 0;
  ssize_t count = 1;
  text.resize(yaml::kMaxBytes + 1);
  while (count != 0 && size < text.size()) {
    count = ::read(descriptor, text.data() + size, text.size() - size);
    if (count < 0 && errno != EINTR) break;
    size += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  const int error = count < 0 ? errno : 0;
  ::close(descriptor);
  text.resize(size);
  return error;
}

}  // namespace

std::string remedy_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "check the permissions of the file and of the folders above it";
    case ELOOP:
      return "a symbolic link leads back to itself";
    case ENOTDIR:
      return "a part of the path before its end is not a folder";
    case ENAMETOOLONG:
      return "shorten the path";
    default:
      return "check the path";
  }
}

std::optional<std::string> read_file(const std::string& file, const std::string& missing,
                                     std::vector<Diagnostic>& diagnostics) {
  const auto fail = [&](const std::string& message, const std::string& remedy) {
    diagnostics.push_back({"", 0, 0, "", message, remedy});
    return std::nullopt;
  };
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return fail(fmt::format("there is no file '{}'", file), missing);
    return fail(fmt::format("'{}' cannot be found: {}", file, std::strerror(errno)), remedy_of(errno));
  }
  if (S_ISDIR(status.st_mode)) return fail(fmt::format("'{}' is a directory", file), "name a YAML file in it");
  // A pipe can be read only once, but some files are read twice.
  if (!S_ISREG(status.st_mode)) {
    return fail(fmt::format("'{}' is not a regular file", file), "write its content into a file");
  }
  std::string text;
  if (const int error = read_bounded(file, text)) {
    return fail(fmt::format("'{}' cannot be read: {}", file, std::strerror(error)), remedy_of(error));
  }
  if (text.size() > yaml::kMaxBytes) {
    return fail(fmt::format("'{}' has more than 1 MiB, which no configuration needs", file), "check the path");
  }
  return text;
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
