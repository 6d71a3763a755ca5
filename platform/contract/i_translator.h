// Address translation that a PE_MMU offers to the other blocks of its PE and to the receivers of their reports.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/base/units.h"
#include "platform/ops/op_types.h"

namespace kb::contract {

// Translation changes no state and takes no simulated time.
class ITranslator {
 public:
  virtual ~ITranslator() = default;
  // Appends the physical extents of `extent`, in order and split where mappings end; a physical extent is appended
  // unchanged. When an address has no mapping, returns the first such address and leaves `physical` unchanged.
  virtual std::optional<std::uint64_t> translate(const Extent& extent, std::vector<Extent>& physical) const = 0;
  // Time that an engine waits after the translation of one access.
  virtual TimeFs access_overhead() const = 0;
};

}  // namespace kb::contract
