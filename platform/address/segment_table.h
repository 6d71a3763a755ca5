// The logical-to-physical table of one PE (A-73 .. A-78): segments as they were installed, until they are removed. No
// time, no state beyond the segments.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "platform/address/address_space.h"
#include "platform/address/region_list.h"
#include "platform/ops/op_types.h"

namespace kb::address {

class SegmentTable {
 public:
  // The segments of one tensor, which is one range of logical addresses; the list is kept as it is and shared.
  // Program Error ADDRESS_ERROR naming both when the range meets that of another list. O(log n).
  void install(std::shared_ptr<const RegionList> segments);
  // Takes a list back. Program Error ADDRESS_ERROR when it was not installed with these very bounds.
  void remove(LogicalAddr la, std::uint64_t nbytes);

  // Appends the physical extents of [la, la + nbytes) in order: pa = pa base of the segment + offset in it,
  // split where a segment ends. Gives the first byte that is in no segment, with `extents` unchanged; nothing
  // when all are.
  std::optional<LogicalAddr> lookup(LogicalAddr la, std::uint64_t nbytes, std::vector<Extent>& extents) const;

  bool empty() const { return lists_.empty(); }
  std::uint64_t segments() const;

 private:
  std::map<std::uint64_t, std::shared_ptr<const RegionList>> lists_;  // by first byte; disjoint
};

}  // namespace kb::address
