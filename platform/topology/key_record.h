// What the reader of topology files asks for, key by key: the JSON Schema is made of it, so that the two cannot differ.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/base/bounds.h"
#include "platform/params/param_set.h"
#include "platform/topology/graph.h"

namespace kb::topology {

// One key as the reader states it.
struct KeyRule {
  enum class Type { real, whole, flag, text, word, words, pair, mapping, mappings };
  Type type{};
  Bounds bounds;                        // of numbers, also of those of a pair
  std::vector<std::string> words;       // of word and words
  std::optional<std::string> fallback;  // as reports write it; nothing when there is none
  bool mandatory = false;
  std::size_t most = 0;  // entries of mappings
};

// A `{ kind, impl, attrs }` record.
struct ComponentRule {
  NodeKind kind{};
  params::ParamSet defaults;
};

// Filled while a document is read. Paths are dotted keys; "[]" stands for the entries of a list.
class KeyRecord {
 public:
  // The first statement holds; a default that is another one the second time follows from other keys, and is none.
  void note(const std::string& path, KeyRule rule);
  void note_component(const std::string& path, NodeKind kind, const params::ParamSet& defaults);
  // Someone looks whether the key is there, so that it is not mandatory.
  void note_looked_for(const std::string& path) { looked_for_.insert(general(path)); }

  const std::map<std::string, KeyRule>& keys() const { return keys_; }
  const std::map<std::string, ComponentRule>& components() const { return components_; }

 private:
  static std::string general(const std::string& path);  // "io_chiplets[1].id" -> "io_chiplets[].id"

  std::map<std::string, KeyRule> keys_;
  std::map<std::string, ComponentRule> components_;
  std::set<std::string> looked_for_;
};

}  // namespace kb::topology
