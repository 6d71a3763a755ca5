#include "sim/run/driver/source_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

namespace kb::sim {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersAround = 5;

void add_with_folders_around(const fs::path& start, std::vector<std::string>& folders) {
  fs::path folder = start;
  for (int i = 0; i < kFoldersAround && !folder.empty(); ++i) {
    if (std::find(folders.begin(), folders.end(), folder.string()) == folders.end()) folders.push_back(folder.string());
    if (folder == folder.parent_path()) return;
    folder = folder.parent_path();
  }
}

std::optional<std::string> read(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostSourceBytes) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

// Operators are calls without their name.
bool has_call(const std::string& line, const std::string& call) {
  static const std::map<std::string, std::string> kOperators{
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"neg", "-"}};
  if (line.find(call) != std::string::npos) return true;
  const auto op = kOperators.find(call);
  return op != kOperators.end() && line.find(op->second) != std::string::npos;
}

// A call that spans several lines has the number of one of them.
bool fits(const SourceFile& source, const std::vector<const SourcePlace*>& places) {
  const auto found = std::count_if(places.begin(), places.end(), [&](const SourcePlace* place) {
    return has_call(source.line(place->line), place->call);
  });
  return 2 * static_cast<std::size_t>(found) >= places.size();
}

std::optional<SourceFile> find(const std::string& file, const std::vector<const SourcePlace*>& places,
                               const std::vector<std::string>& folders) {
  const auto fitting = [&](const fs::path& path) -> std::optional<SourceFile> {
    std::optional<std::string> text = read(path);
    if (!text) return std::nullopt;
    SourceFile source{file, std::move(*text)};
    return fits(source, places) ? std::optional(std::move(source)) : std::nullopt;
  };
  if (fs::path(file).is_absolute()) return fitting(file);
  for (const std::string& folder : folders) {
    if (std::optional<SourceFile> source = fitting(fs::path(folder) / file)) return source;
  }
  return std::nullopt;
}

}  // namespace

std::string SourceFile::line(std::uint32_t number) const {
  std::size_t begin = 0;
  for (std::uint32_t at = 1; at < number && begin != std::string::npos; ++at) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (number == 0 || begin == std::string::npos) return "";
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const auto is_text = [](unsigned char c) { return std::isspace(c) == 0; };
  line.erase(std::find_if(line.rbegin(), line.rend(), is_text).base(), line.end());
  line.erase(line.begin(), std::find_if(line.begin(), line.end(), is_text));
  return line;
}

std::vector<std::string> source_folders(const std::vector<std::string>& plugins) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const std::string& plugin : plugins) add_with_folders_around(fs::absolute(plugin, error).parent_path(), folders);
  add_with_folders_around(fs::read_symlink("/proc/self/exe", error).parent_path(), folders);
  add_with_folders_around(fs::current_path(error), folders);
  return folders;
}

std::vector<SourceFile> read_sources(const std::vector<SourcePlace>& places, const std::vector<std::string>& folders) {
  std::map<std::string, std::vector<const SourcePlace*>> by_file;
  for (const SourcePlace& place : places) {
    if (place.line != 0) by_file[place.file].push_back(&place);
  }
  std::vector<SourceFile> sources;
  for (const auto& [file, named] : by_file) {
    if (std::optional<SourceFile> source = find(file, named, folders)) sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace kb::sim
