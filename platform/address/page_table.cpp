#include "platform/address/page_table.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "platform/base/error.h"

namespace kb::address {

PageTable::PageTable(std::uint64_t page_size) : page_size_(page_size) {
  if (page_size == 0 || (page_size & (page_size - 1)) != 0) {
    throw Error::model("a page of " + std::to_string(page_size) + " bytes is not a power of two");
  }
}

template <typename AnyBlocks>
auto PageTable::behind(AnyBlocks& blocks, std::uint64_t va) {
  const auto next = blocks.upper_bound(va);
  if (next == blocks.begin()) return next;
  const auto before = std::prev(next);
  return before->second.end > va ? before : next;
}

bool PageTable::free(std::uint64_t begin, std::uint64_t end) const {
  const auto block = behind(blocks_, begin);
  return block == blocks_.end() || block->first >= end;
}

void PageTable::map(std::shared_ptr<const RegionList> regions) {
  if (free(regions->begin(), regions->end())) {
    const std::uint64_t begin = regions->begin();
    const std::uint64_t end = regions->end();
    blocks_.emplace(begin, Block{end, std::move(regions), 0});
    return;
  }
  for (const Region& region : regions->regions()) insert(region);
}

void PageTable::insert(const Region& region) {
  take_apart(region.va, region.end());
  for (auto block = behind(blocks_, region.va); block != blocks_.end() && block->first < region.end();) {
    block = block->second.list ? blocks_.erase(block) : cut(block, region.va, region.end());
  }
  blocks_.emplace(region.va, Block{region.end(), nullptr, region.pa});
}

void PageTable::unmap(VirtAddr va, std::uint64_t nbytes) {
  const std::uint64_t begin = va.value;
  const std::uint64_t end = va.value + nbytes;
  take_apart(begin, end);
  for (auto block = behind(blocks_, begin); block != blocks_.end() && block->first < end;) {
    if (block->second.list) {
      block = blocks_.erase(block);
      continue;
    }
    // Inside a page, regions are removed completely or not at all.
    const std::uint64_t first = block->first >= begin ? block->first : (begin + page_size_ - 1) & ~(page_size_ - 1);
    const std::uint64_t last = block->second.end <= end ? block->second.end : end & ~(page_size_ - 1);
    block = first < last ? cut(block, first, last) : std::next(block);
  }
}

void PageTable::take_apart(std::uint64_t begin, std::uint64_t end) {
  for (auto block = behind(blocks_, begin); block != blocks_.end() && block->first < end;) {
    const bool inside = block->first >= begin && block->second.end <= end;
    if (inside || !block->second.list) {
      ++block;
      continue;
    }
    const std::shared_ptr<const RegionList> list = std::move(block->second.list);
    block = blocks_.erase(block);
    for (const Region& region : list->regions()) {
      blocks_.emplace_hint(block, region.va, Block{region.end(), nullptr, region.pa});
    }
  }
}

PageTable::Blocks::iterator PageTable::cut(Blocks::iterator block, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = block->first;
  const Block whole = block->second;
  begin = std::max(begin, first);
  end = std::min(end, whole.end);
  auto next = blocks_.erase(block);
  if (begin > first) blocks_.emplace_hint(next, first, Block{begin, nullptr, whole.pa});
  if (end < whole.end) blocks_.emplace_hint(next, end, Block{whole.end, nullptr, whole.pa + (end - first)});
  return next;
}

std::optional<VirtAddr> PageTable::translate(VirtAddr va, std::uint64_t nbytes, std::vector<Extent>& extents) const {
  const std::size_t before = extents.size();
  std::uint64_t at = va.value;
  const auto take = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t pa) {
    const std::uint64_t part = std::min(nbytes, end - at);
    extents.push_back({pa + (at - begin), part});
    at += part;
    nbytes -= part;
  };
  for (auto block = behind(blocks_, at); nbytes > 0; ++block) {
    if (block == blocks_.end() || block->first > at) break;
    if (!block->second.list) {
      take(block->first, block->second.end, block->second.pa);
      continue;
    }
    const std::vector<Region>& regions = block->second.list->regions();
    for (std::size_t i = block->second.list->first_ending_after(at); nbytes > 0 && i < regions.size(); ++i) {
      if (regions[i].va > at) break;
      take(regions[i].va, regions[i].end(), regions[i].pa);
    }
    if (at != block->second.end) break;
  }
  if (nbytes == 0) return std::nullopt;
  extents.resize(before);
  return VirtAddr(at);
}

std::uint64_t PageTable::regions() const {
  std::uint64_t count = 0;
  for (const auto& [begin, block] : blocks_) count += block.list ? block.list->regions().size() : 1;
  return count;
}

std::uint64_t PageTable::shared_pages() const {
  SharedPages pages(page_size_);
  for (const auto& [begin, block] : blocks_) {
    if (!block.list) {
      pages.add(begin, block.end);
      continue;
    }
    for (const Region& region : block.list->regions()) pages.add(region.va, region.end());
  }
  return pages.count();
}

}  // namespace kb::address
