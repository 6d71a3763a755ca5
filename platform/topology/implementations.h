// Registered implementations of block kinds, from plug-ins and users' programs (T-27).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/engine/engine_catalog.h"
#include "platform/params/field_table.h"
#include "platform/topology/graph.h"

namespace kb::topology {

// Origin of the code of an implementation. `foreign`: code of a plug-in or a user's program, or RTL. Its links are
// checked for protocol violations, and its exceptions and crashes are reported with its name.
enum class Origin : std::uint8_t { foreign, own };

// Implementations of each kind by name, each with its additional parameters.
class Implementations {
 public:
  // Configuration Error when `impl` is not custom.<name>, rtl.<name> or tlm.<name>, when it exists already, or when one
  // of its parameters has the same name as one of the kind.
  void add(NodeKind kind, const std::string& impl, params::FieldTable fields, Origin origin = Origin::foreign);

  // Adds an engine; machines whose file names it have it. Returns the kind of its blocks, for which `add` may register
  // more implementations. Configuration Error as for EngineCatalog::add.
  NodeKind add_engine(engine::EngineRow row) { return engine_kind(engines_.add(std::move(row))); }
  const engine::EngineCatalog& engines() const { return engines_; }

  // Null when it is not registered.
  const params::FieldTable* find(NodeKind kind, const std::string& impl) const;
  // False when it is not registered, because it is then built in.
  bool is_foreign(NodeKind kind, const std::string& impl) const;
  std::vector<std::string> names(NodeKind kind) const;
  // True when one of them is simulated from RTL, which a build may not support.
  bool has_rtl() const;
  // Kinds that an implementation of this name can implement.
  std::vector<NodeKind> kinds_of(const std::string& impl) const;

 private:
  struct Entry {
    params::FieldTable fields;
    Origin origin = Origin::foreign;
  };
  std::map<std::pair<NodeKind, std::string>, Entry> entries_;
  engine::EngineCatalog engines_;
};

// The built-in implementations only.
const Implementations& builtin_only();

}  // namespace kb::topology
