// Reading of untrusted JSON files.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace kb::files {

constexpr std::size_t kMaxDataBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxReferenceBytes = std::size_t{1} << 20;

// Reads a regular JSON file of at most `most_bytes` bytes. Configuration Error with the file and the position: line and
// column of a syntax error, otherwise the member ("/runs/3/shape"). Duplicate members and a nesting deeper than 32 are
// refused. `remedy` tells which file to give instead of one that is not JSON.
nlohmann::ordered_json read_json(const std::string& file, std::size_t most_bytes, const std::string& remedy = "");
// Like read_json(), but skips some members of the outermost object, which saves time and memory.
nlohmann::ordered_json read_json_without(const std::set<std::string>& members, const std::string& file,
                                         std::size_t most_bytes);
// `file` is the name in messages. `line`: where the text begins in it, for files of which each line is a text.
nlohmann::ordered_json parse_json(const std::string& file, const std::string& text, const std::string& remedy = "",
                                  std::size_t line = 0);

// "type must be number, but is string (/runs/3/shape)": the library's message without its technical prefix.
std::string reason_of(const nlohmann::ordered_json::exception& error);

}  // namespace kb::files
