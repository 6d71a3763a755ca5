// The rule of one key of a topology file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/bounds.h"

namespace kb::topology {

// The rule of one key, as the reader states it.
struct KeyRule {
  enum class Type { real, whole, flag, text, word, words, pair, mapping, mappings };
  Type type{};
  Bounds bounds;                        // for numbers, also those of a pair
  std::vector<std::string> words;       // for word and words; for text and whole, values worth a trial
  std::optional<std::string> fallback;  // as in reports; no value when there is no default
  bool mandatory = false;
  std::size_t most = 0;  // maximum number of entries of mappings
};

}  // namespace kb::topology
