#include "sim/cli/shipped_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::cli {

namespace fs = std::filesystem;

std::string ShippedFolder::path() const {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const char* parent : {"../../share/kernbench", "../../../.."}) {
    const fs::path place = (program / parent / folder).lexically_normal();
    if (fs::is_regular_file(place / known, error)) return place.string();
  }
  return {};
}

std::vector<std::string> ShippedFolder::files() const {
  std::vector<std::string> found;
  const std::string place = path();
  if (place.empty()) return found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    const std::string file = entry.path().string();
    if (entry.path().extension() == suffix && is_listed(file)) found.push_back(file);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string ShippedFolder::file_of(const std::string& name) const {
  std::error_code error;
  if (name.find('/') != std::string::npos || fs::exists(name, error) || error) return name;
  const std::vector<std::string> shipped = files();
  if (shipped.empty()) return name;
  const std::string stem = fs::path(name).extension() == suffix ? fs::path(name).stem().string() : name;
  std::vector<std::string> names;
  for (const std::string& file : shipped) {
    names.push_back(fs::path(file).stem().string());
    if (names.back() == stem) return file;
  }
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  const std::string near = nearest_name(stem, names);
  throw Error(
      {Diagnostic{"", 0, 0, "", "there is no file '" + name + "'",
                  (near.empty() ? "" : "did you mean '" + near + "'? ") + what + " of " + path() + ": " + all}});
}

}  // namespace kb::cli
