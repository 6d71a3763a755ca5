#include "tests/meta/source_tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace kb::meta {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = KB_SOURCE_DIR;

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

// The words inside the parentheses of every call of `command`, comments removed.
std::vector<std::vector<std::string>> calls_of(const std::string& text, const std::string& command) {
  const std::string plain = std::regex_replace(text, std::regex("#[^\n]*"), "");
  const std::regex call("\\b" + command + "\\s*\\(([^)]*)\\)");
  std::vector<std::vector<std::string>> calls;
  for (std::sregex_iterator it(plain.begin(), plain.end(), call), end; it != end; ++it) {
    std::istringstream words((*it)[1].str());
    calls.emplace_back();
    for (std::string word; words >> word;) calls.back().push_back(word);
  }
  return calls;
}

Library parse_library(const std::vector<std::string>& words, const std::string& folder) {
  Library library;
  library.name = words.at(0);
  library.folder = folder;
  std::string section;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "SOURCES" || words[i] == "DEPS" || words[i] == "PRIVATE_DEPS" || words[i] == "ALONE") {
      section = words[i];
    } else if (section == "SOURCES") {
      library.sources.insert(folder + "/" + words[i]);
    } else if (section != "ALONE") {  // they stand in SOURCES as well
      library.deps.insert(words[i]);
    }
  }
  return library;
}

}  // namespace

std::vector<std::string> files_below(const std::string& folder, const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  if (!fs::exists(kRoot / folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), kRoot).generic_string();
    if (std::any_of(endings.begin(), endings.end(), [&](const std::string& e) { return ends_with(name, e); })) {
      files.push_back(name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::string& file) {
  std::ifstream stream(kRoot / file);
  if (!stream) throw std::runtime_error("cannot read " + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<Include> includes_of(const std::string& file) {
  static const std::regex pattern("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
  std::vector<Include> includes;
  std::istringstream lines(read(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, pattern)) includes.push_back({file, number, match[2], match[1] == "\""});
  }
  return includes;
}

// Folders that hold folders with libraries.
constexpr std::array kRooms{"sim/run/", "sim/study/", "sim/analysis/", "sim/ports/"};

std::vector<Library> libraries() {
  std::vector<Library> all;
  for (const std::string& top : product_folders()) {
    for (const std::string& file : files_below(top, {"CMakeLists.txt"})) {
      const std::string folder = fs::path(file).parent_path().generic_string();
      for (const auto& words : calls_of(read(file), "kb_library")) all.push_back(parse_library(words, folder));
    }
  }
  return all;
}

std::string folder_of(const std::string& file) {
  const fs::path path(file);
  const bool in_room =
      std::any_of(kRooms.begin(), kRooms.end(), [&](const char* room) { return file.rfind(room, 0) == 0; });
  std::string folder;
  int depth = 0;
  for (const fs::path& part : path.parent_path()) {
    if (depth++ == (in_room ? 3 : 2)) break;
    folder += (folder.empty() ? "" : "/") + part.string();
  }
  return folder;
}

}  // namespace kb::meta
