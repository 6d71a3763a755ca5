#include "tests/robustness/snapshot.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace kb::robustness {
namespace {

namespace fs = std::filesystem;

std::uint64_t hash_of(const std::string& path) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(1 << 16);
  while (file) {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])) * 0x100000001b3;
    }
  }
  return hash;
}

std::string describe(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_symlink(error)) return "link " + fs::read_symlink(entry.path(), error).string();
  if (entry.is_directory(error)) return "dir";
  if (!entry.is_regular_file(error)) return "special";
  return "file " + std::to_string(entry.file_size(error)) + " " + std::to_string(hash_of(entry.path().string()));
}

}  // namespace

Snapshot snapshot(const std::string& folder) {
  Snapshot found;
  const std::size_t prefix = folder.size() + 1;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    found[entry.path().string().substr(prefix)] = describe(entry);
  }
  return found;
}

std::vector<std::string> new_files(const Snapshot& before, const Snapshot& after) {
  std::vector<std::string> names;
  for (const auto& [name, what] : after) {
    if (what != "dir" && before.count(name) == 0) names.push_back(name);
  }
  return names;
}

std::vector<std::string> changed(const Snapshot& before, const Snapshot& after) {
  std::vector<std::string> names;
  for (const auto& [name, what] : before) {
    const auto found = after.find(name);
    if (found == after.end() || found->second != what) names.push_back(name);
  }
  return names;
}

}  // namespace kb::robustness
