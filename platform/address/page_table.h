// The virtual-to-physical table of one PE (A-33 .. A-39), an interval map in which a later mapping replaces earlier
// ones byte by byte. Its only state is the mappings; it takes no time.
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
  // `page_size` is in bytes and a power of two (model Error otherwise). Mappings may be smaller than a page: the
  // size only affects unmap() and shared_pages().
  explicit PageTable(std::uint64_t page_size);

  // Takes O(log n) when no mapping overlaps; the table then shares the list.
  void map(std::shared_ptr<const RegionList> regions);
  // Removes, page by page, the regions that lie inside [va, va + nbytes). In the first and the last page, regions that
  // cross the bounds stay: unmap with the bounds of the mapping.
  void unmap(VirtAddr va, std::uint64_t nbytes);

  // Appends the physical extents of [va, va + nbytes) in order, split where regions end. When a byte is not
  // mapped, returns the first such byte and leaves `extents` unchanged.
  std::optional<VirtAddr> translate(VirtAddr va, std::uint64_t nbytes, std::vector<Extent>& extents) const;

  std::uint64_t page_size() const { return page_size_; }
  bool empty() const { return blocks_.empty(); }
  std::uint64_t regions() const;
  // Pages that hold more than one region. A real MMU could not place data at this granularity.
  std::uint64_t shared_pages() const;

 private:
  // A mapped list, or a single region when `list` is null.
  struct Block {
    std::uint64_t end = 0;
    std::shared_ptr<const RegionList> list;
    std::uint64_t pa = 0;
  };
  using Blocks = std::map<std::uint64_t, Block>;  // by first byte; disjoint

  // The first block that ends after `va`.
  template <typename AnyBlocks>
  static auto behind(AnyBlocks& blocks, std::uint64_t va);
  bool free(std::uint64_t begin, std::uint64_t end) const;
  void insert(const Region& region);
  // Splits the lists that overlap [begin, end) without being inside it.
  void take_apart(std::uint64_t begin, std::uint64_t end);
  // Removes [begin, end) from a block without a list; returns the next block.
  Blocks::iterator cut(Blocks::iterator block, std::uint64_t begin, std::uint64_t end);

  std::uint64_t page_size_;
  Blocks blocks_;
};

}  // namespace kb::address
