// Implementations of block kinds that are not built in: what plug-ins and users' own programs register (T-27).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/params/field_table.h"
#include "platform/topology/graph.h"

namespace kb::topology {

// Whose code an implementation runs: `foreign` is a plug-in's, that of a user's own program, or RTL. Its links are held
// against their protocol, and what it throws or how it crashes is reported with its name.
enum class Origin : std::uint8_t { foreign, own };

// The implementations of each kind by name, with the parameters that each has besides those of its kind.
class Implementations {
 public:
  // Configuration Error when `impl` is not custom.<name>, rtl.<name> or tlm.<name>, exists already, or has a parameter
  // of the kind's name.
  void add(NodeKind kind, const std::string& impl, params::FieldTable fields, Origin origin = Origin::foreign);

  // Null when nobody has registered it.
  const params::FieldTable* find(NodeKind kind, const std::string& impl) const;
  // False when nobody has registered it: then it is built in.
  bool is_foreign(NodeKind kind, const std::string& impl) const;
  std::vector<std::string> names(NodeKind kind) const;
  // Whether any of them is simulated from RTL, which a build may leave out.
  bool has_rtl() const;
  // The kinds that an implementation of this name serves.
  std::vector<NodeKind> kinds_of(const std::string& impl) const;

 private:
  struct Entry {
    params::FieldTable fields;
    Origin origin = Origin::foreign;
  };
  std::map<std::pair<NodeKind, std::string>, Entry> entries_;
};

// The built-in implementations, without those of plug-ins.
const Implementations& builtin_only();

}  // namespace kb::topology
