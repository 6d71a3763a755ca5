#include "sim/analysis/recorded/document.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "sim/analysis/recorded/run_list.h"

namespace kb::analysis {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string checked_file(const std::string& folder, const char* file, const char* owner) {
  const fs::path path = fs::path(folder) / file;
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) throw Error::configuration(path.string() + ": it is missing");
  if (!lies_below(folder, path)) {
    throw Error::configuration(
        fmt::format("{} is a symbolic link that leads out of the folder of the {}", path.string(), owner));
  }
  if (!fs::is_regular_file(path, ignored)) throw Error::configuration(path.string() + ": it is not a regular file");
  return path.string();
}

const Json* Document::find(const std::string& member) const {
  const Json::json_pointer place(member);
  return json_.contains(place) ? &json_.at(place) : nullptr;
}

void Document::refuse(const std::string& member, const char* wanted) const {
  const Json* const found = find(member);
  throw Error::configuration(fmt::format(
      "{}: {} {}; the file is not one that `{}` of this kernbench wrote", file_, member,
      found == nullptr ? "is missing" : fmt::format("has to be {}, and is {}", wanted, found->type_name()), command_));
}

void Document::need_numbers(const std::string& prefix, std::initializer_list<const char*> members) const {
  for (const char* name : members) {
    const Json* const found = find(prefix + name);
    if (found == nullptr || !found->is_number()) refuse(prefix + name, "a number");
  }
}

void Document::need_texts(const std::string& prefix, std::initializer_list<const char*> members) const {
  for (const char* name : members) {
    const Json* const found = find(prefix + name);
    if (found == nullptr || !found->is_string()) refuse(prefix + name, "a text");
  }
}

std::size_t Document::need_list(const std::string& member) const {
  const Json* const found = find(member);
  if (found == nullptr || !found->is_array()) refuse(member, "a list");
  return found->size();
}

void Document::need_number_list(const std::string& member) const {
  const std::size_t size = need_list(member);
  for (std::size_t i = 0; i < size; ++i) need_numbers(member, {("/" + std::to_string(i)).c_str()});
}

void Document::need_text_list(const std::string& member) const {
  const std::size_t size = need_list(member);
  for (std::size_t i = 0; i < size; ++i) need_texts(member, {("/" + std::to_string(i)).c_str()});
}

}  // namespace kb::analysis
