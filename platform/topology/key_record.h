// Records the keys that the reader of topology files requests. The JSON Schema is generated from the record, so that
// schema and reader cannot differ.
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

// The rule of one key, as the reader states it.
struct KeyRule {
  enum class Type { real, whole, flag, text, word, words, pair, mapping, mappings };
  Type type{};
  Bounds bounds;                        // for numbers, also those of a pair
  std::vector<std::string> words;       // for word and words
  std::optional<std::string> fallback;  // as in reports; no value when there is no default
  bool mandatory = false;
  std::size_t most = 0;  // maximum number of entries of mappings
};

// The rule of a `{ kind, impl, attrs }` record.
struct ComponentRule {
  NodeKind kind{};
  params::ParamSet defaults;
};

// Filled while a document is read. Paths are dotted keys; "[]" stands for an entry of a list.
class KeyRecord {
 public:
  // The first rule counts. A default that differs between two calls follows from other keys, and is recorded as none.
  void note(const std::string& path, KeyRule rule);
  void note_component(const std::string& path, NodeKind kind, const params::ParamSet& defaults);
  // The reader tests whether the key is present, so that it is not mandatory.
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
