// The virtual-to-physical table of one PE (A-33 .. A-39), as an interval map: a later mapping replaces an earlier one
// byte by byte, so the last one written wins. No time, no state beyond the mappings.
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

class PageTable {
 public:
  // Bytes, a power of two (model Error otherwise). Mappings may be smaller than a page: the size only decides
  // what unmap() removes and what shared_pages() counts.
  explicit PageTable(std::uint64_t page_size);

  // O(log n) when nothing overlaps; the list is then kept as it is and shared.
  void map(std::shared_ptr<const RegionList> regions);
  // Removes, page by page, the regions that lie inside [va, va + nbytes). What reaches over the bounds within a page
  // stays: unmap with the bounds that were mapped.
  void unmap(VirtAddr va, std::uint64_t nbytes);

  // Appends the physical extents of [va, va + nbytes) in order, split where regions end. Gives the first byte
  // that is not mapped, with `extents` unchanged; nothing when all are.
  std::optional<VirtAddr> translate(VirtAddr va, std::uint64_t nbytes, std::vector<Extent>& extents) const;

  std::uint64_t page_size() const { return page_size_; }
  bool empty() const { return blocks_.empty(); }
  std::uint64_t regions() const;
  // Pages that hold more than one region: placement finer than a page, which a real MMU could not do.
  std::uint64_t shared_pages() const;

 private:
  // A list as it was mapped, or a region of its own when `list` is null.
  struct Block {
    std::uint64_t end = 0;
    std::shared_ptr<const RegionList> list;
    std::uint64_t pa = 0;
  };
  using Blocks = std::map<std::uint64_t, Block>;  // by first byte; disjoint

  // The first block that ends behind `va`.
  template <typename AnyBlocks>
  static auto behind(AnyBlocks& blocks, std::uint64_t va);
  bool free(std::uint64_t begin, std::uint64_t end) const;
  void insert(const Region& region);
  // Takes the lists apart that reach into [begin, end) without lying inside.
  void take_apart(std::uint64_t begin, std::uint64_t end);
  // Removes [begin, end) from a block that has no list; gives the block behind.
  Blocks::iterator cut(Blocks::iterator block, std::uint64_t begin, std::uint64_t end);

  std::uint64_t page_size_;
  Blocks blocks_;
};

}  // namespace kb::address
