// A YAML document as a plain tree with positions of keys and values. Values are stored as text; the schema converts
// them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"

namespace kb::topology::yaml {

struct Mark {
  int line = 0;  // 1-based; 0 = unknown
  int column = 0;
};

enum class Kind { null, scalar, map, list };
std::string_view kind_text(Kind kind);  // "a mapping"

struct Value;
using ValuePtr = std::shared_ptr<Value>;

struct Entry {
  std::string key;
  Mark mark;
  ValuePtr value;
};

struct Value {
  Kind kind = Kind::null;
  Mark mark;
  bool from_override = false;
  std::string text;     // scalars
  bool quoted = false;  // scalars: was written with quotes and is therefore text
  std::vector<Entry> entries;
  std::vector<ValuePtr> items;

  const Entry* find(std::string_view key) const;
};

// Limits of a document. A document that exceeds one is refused, so that time and memory are bounded.
inline constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxValues = 10'000;  // an alias counts as the values that it refers to
inline constexpr std::size_t kMaxLevels = 64;
inline constexpr std::size_t kMaxCharacters = 4096;  // in a key or a value

// Parses one document. Syntax errors, duplicate keys, non-scalar keys and further documents are appended to
// `diagnostics` with line and column (T-13). Returns null after a syntax error; an empty text gives a null value.
ValuePtr parse(const std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics,
               std::size_t most_values = kMaxValues);

// Sets the value at a dotted path ("sip.io_chiplets[0].n_connections", also "sip.io_chiplets.0..."), creating missing
// mappings; an index equal to a list's length appends. `text` is YAML. The replaced values have from_override set. If
// the path enters a key of `openings` that holds a single value, the key becomes a mapping, and the value becomes the
// entry that `openings` names ({"mac_per_ns", "f16"}: setting mac_per_ns.i8 keeps the number as that of f16).
using Openings = std::map<std::string, std::string>;
void apply_override(ValuePtr& root, const std::string& path, const std::string& text,
                    std::vector<Diagnostic>& diagnostics, const Openings& openings = {});

}  // namespace kb::topology::yaml
