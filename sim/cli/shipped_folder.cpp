#include "sim/cli/shipped_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::cli {

namespace fs = std::filesystem;

namespace {

fs::path program_file() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program;
}

// Where `folder` may be: in the installation, and in the source tree.
std::vector<fs::path> places_of(const std::string& folder) {
  const fs::path program = program_file();
  if (program.empty()) return {};
  std::vector<fs::path> places;
  for (const char* parent : {"../../share/kernbench", "../../../.."}) {
    places.push_back((program / parent / folder).lexically_normal());
  }
  return places;
}

}  // namespace

std::string ShippedFolder::path() const {
  std::error_code error;
  for (const fs::path& place : places_of(folder)) {
    if (fs::is_regular_file(place / known, error)) return place.string();
  }
  return {};
}

std::string ShippedFolder::where_missing() const {
  std::string places;
  for (const fs::path& place : places_of(folder)) places += (places.empty() ? "" : " and ") + place.string();
  return "the " + what + " that come with kernbench were looked for in " +
         (places.empty() ? "no folder, because /proc/self/exe cannot be read" : places) +
         "; run the program where it was installed or built (" + program_file().string() +
         " seems to be a copy without its files; a symbolic link works), or name a file";
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
  if (shipped.empty()) throw Error({Diagnostic{"", 0, 0, "", "there is no file '" + name + "'", where_missing()}});
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
