// Translation of the addresses that a command carries, as a PE_MMU offers it to the other blocks of its PE and to
// whoever gets their reports.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/base/units.h"
#include "platform/ops/op_types.h"

namespace kb::contract {

// Pure: no simulated time, no event, no change of state.
class ITranslator {
 public:
  virtual ~ITranslator() = default;
  // Appends the physical extents of `extent` in order, split where mappings end; an extent that is physical already is
  // appended as it is. Gives the first address without a mapping, with `physical` unchanged; nothing otherwise.
  virtual std::optional<std::uint64_t> translate(const Extent& extent, std::vector<Extent>& physical) const = 0;
  // What an engine waits for after the translation of one access.
  virtual TimeFs access_overhead() const = 0;
};

}  // namespace kb::contract
