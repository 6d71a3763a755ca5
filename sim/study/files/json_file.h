// JSON files that come from elsewhere, and may hold anything.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace kb::files {

constexpr std::size_t kMaxDataBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxReferenceBytes = std::size_t{1} << 20;

// The JSON of a regular file of at most `most_bytes` bytes. Configuration Error that names the file and the place in
// it: line and column where it is no JSON, else the member ("/runs/3/shape"). Members that are there twice are refused,
// and so is what is nested more than 32 deep. `remedy` says what to give in place of a file that is not JSON.
nlohmann::ordered_json read_json(const std::string& file, std::size_t most_bytes, const std::string& remedy = "");
// The same without some members of the outermost object, which costs neither their time nor their memory.
nlohmann::ordered_json read_json_without(const std::set<std::string>& members, const std::string& file,
                                         std::size_t most_bytes);
nlohmann::ordered_json parse_json(const std::string& file, const std::string& text,
                                  const std::string& remedy = "");  // `file` as in messages

// "type must be number, but is string (/runs/3/shape)", without the words for programmers around it.
std::string reason_of(const nlohmann::ordered_json::exception& error);

}  // namespace kb::files
