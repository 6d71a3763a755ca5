// Checks of a JSON document and of files in a folder, before the page gets them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace kb::analysis {

// Path of a regular file of the folder. Configuration Error when there is none, or when it is a symbolic link that
// leads out of the folder; `owner` is what the folder is of.
std::string checked_file(const std::string& folder, const char* file, const char* owner);

// A document that a command of kernbench wrote. Configuration Error with the file, the member and the remedy.
class Document {
 public:
  Document(std::string file, std::string command, const nlohmann::ordered_json& json)
      : file_(std::move(file)), command_(std::move(command)), json_(json) {}

  // Each member ("/memory/weight_bytes") is a number or a text; `prefix` stands before all of them.
  void need_numbers(const std::string& prefix, std::initializer_list<const char*> members) const;
  void need_texts(const std::string& prefix, std::initializer_list<const char*> members) const;
  // Number of entries of a list.
  std::size_t need_list(const std::string& member) const;
  // Lists of numbers, or of texts.
  void need_number_list(const std::string& member) const;
  void need_text_list(const std::string& member) const;
  [[noreturn]] void refuse(const std::string& member, const char* wanted) const;

 private:
  const nlohmann::ordered_json* find(const std::string& member) const;  // null when it is missing

  std::string file_, command_;
  const nlohmann::ordered_json& json_;
};

}  // namespace kb::analysis
