// Names for the numeric ids in the operation log.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "platform/data/op_log_database.h"

namespace kb::analysis {

// Returns "?" for an unknown id in a damaged file.
class OpNames {
 public:
  explicit OpNames(const data::OpLogNames& names) : names_(names) {}
  const NodeEntry& component(std::int64_t id) const {
    static const NodeEntry unknown{"?", "", "?", {}};
    const auto at = std::lower_bound(names_.components.begin(), names_.components.end(), id,
                                     [](const auto& entry, std::int64_t wanted) { return entry.id < wanted; });
    return at != names_.components.end() && at->id == id ? at->node : unknown;
  }
  const data::OpLogNames::Operation& operation(std::int64_t id) const {
    static const data::OpLogNames::Operation unknown{-1, "?", "?"};
    const auto at = std::lower_bound(names_.operations.begin(), names_.operations.end(), id,
                                     [](const auto& entry, std::int64_t wanted) { return entry.id < wanted; });
    return at != names_.operations.end() && at->id == id ? *at : unknown;
  }
  // Null for an operation without a line, and for an unknown id.
  const data::OpLogNames::Place* place(std::int64_t id) const {
    const auto at = std::lower_bound(names_.places.begin(), names_.places.end(), id,
                                     [](const auto& entry, std::int64_t wanted) { return entry.id < wanted; });
    return at != names_.places.end() && at->id == id && at->line > 0 ? &*at : nullptr;
  }

 private:
  const data::OpLogNames& names_;
};

}  // namespace kb::analysis
