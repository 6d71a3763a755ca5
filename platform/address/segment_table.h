// The logical-to-physical table of one PE (A-73 .. A-78). Its only state is the installed segments; it takes no time.
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
  // Installs the segments of one tensor, which form one range of logical addresses; the table shares the list. Program
  // Error ADDRESS_ERROR, naming both, when the range overlaps another list. Takes O(log n).
  void install(std::shared_ptr<const RegionList> segments);
  // Removes a list. Program Error ADDRESS_ERROR when no list with exactly these bounds is installed.
  void remove(LogicalAddr la, std::uint64_t nbytes);

  // Appends the physical extents of [la, la + nbytes) in order: pa = pa base of the segment + offset in it,
  // split where a segment ends. When a byte is in no segment, returns the first such byte and leaves `extents`
  // unchanged.
  std::optional<LogicalAddr> lookup(LogicalAddr la, std::uint64_t nbytes, std::vector<Extent>& extents) const;

  bool empty() const { return lists_.empty(); }
  std::uint64_t segments() const;

 private:
  std::map<std::uint64_t, std::shared_ptr<const RegionList>> lists_;  // by first byte; disjoint
};

}  // namespace kb::address
