// Implementations of block kinds that are not built in: what plug-ins and users' own programs register (T-27).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/params/field_table.h"
#include "platform/topology/graph.h"

namespace kb::topology {

// By kind and name, with the parameters that each has besides those of its kind.
class Implementations {
 public:
  // Configuration Error when `impl` is not custom.<name>, rtl.<name> or tlm.<name>, exists already, or has a parameter
  // of the kind's name.
  void add(NodeKind kind, const std::string& impl, params::FieldTable fields);

  // Null when nobody has registered it.
  const params::FieldTable* find(NodeKind kind, const std::string& impl) const;
  std::vector<std::string> names(NodeKind kind) const;
  // Whether any of them is simulated from RTL, which a build may leave out.
  bool has_rtl() const;
  // The kinds that an implementation of this name serves.
  std::vector<NodeKind> kinds_of(const std::string& impl) const;

 private:
  std::map<std::pair<NodeKind, std::string>, params::FieldTable> tables_;
};

// Nothing but the built-in ones.
const Implementations& builtin_only();

}  // namespace kb::topology
