// Records the keys that the reader of topology files requests. The JSON Schema is generated from the record, so that
// schema and reader cannot differ.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/params/param_set.h"
#include "platform/topology/graph.h"
#include "platform/topology/key_rule.h"

namespace kb::topology {

// "io_chiplets[1].id" -> "io_chiplets[].id"
std::string general_key(const std::string& path);

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
  void note_looked_for(const std::string& path) { looked_for_.insert(general_key(path)); }

  const std::map<std::string, KeyRule>& keys() const { return keys_; }
  const std::map<std::string, ComponentRule>& components() const { return components_; }

 private:
  std::map<std::string, KeyRule> keys_;
  std::map<std::string, ComponentRule> components_;
  std::set<std::string> looked_for_;
};

}  // namespace kb::topology
