#include "tests/robustness/file_text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace kb::robustness {
namespace {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Stream open_file(const std::string& path, const char* mode) {
  Stream stream(std::fopen(path.c_str(), mode), std::fclose);
  if (!stream) throw std::runtime_error("cannot open '" + path + "': " + std::strerror(errno));
  return stream;
}

}  // namespace

std::string read_text(const std::string& path, std::size_t largest) {
  const Stream stream = open_file(path, "rb");
  std::string text;
  char buffer[1 << 14];
  while (text.size() < largest) {
    const std::size_t n = std::fread(buffer, 1, sizeof buffer, stream.get());
    if (n == 0) break;
    text.append(buffer, n);
  }
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(parent);
  const Stream stream = open_file(path, "wb");
  if (std::fwrite(text.data(), 1, text.size(), stream.get()) != text.size()) {
    throw std::runtime_error("cannot write '" + path + "': " + std::strerror(errno));
  }
}

}  // namespace kb::robustness
