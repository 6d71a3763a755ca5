// A JSON document as a tree with the positions of its keys, for files that people write or download.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"

namespace kb::model {

struct JsonNode;

struct JsonMember {
  std::string key;
  int line = 0;  // 1-based
  int column = 0;
  std::vector<JsonNode> value;  // exactly one; a vector, because the type is incomplete here
  const JsonNode& node() const;
};

struct JsonNode {
  enum class Kind : std::uint8_t { null, boolean, integer, real, text, list, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;  // also of an integer
  std::string text;   // of a text; of a number as it was written
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;  // in the order of the file

  const JsonMember* find(std::string_view key) const;
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  // "a list", "true", "the text \"gelu\"": for messages.
  std::string described() const;
};

// Limits of a document, so that time and memory are bounded.
inline constexpr std::size_t kDeepestJson = 32;

// Parses a document whose outermost value is an object. Configuration Error with line and column for a syntax error, a
// repeated key, an integer above 64 bits, or values nested deeper than kDeepestJson. `file` stands in messages.
JsonNode parse_json_tree(const std::string& text, const std::string& file);

}  // namespace kb::model
