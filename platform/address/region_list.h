// The entries of one map or segment message: virtual or logical regions with their physical memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "platform/address/address_space.h"

namespace kb::address {

// Maps bytes [va, va + nbytes) to [pa, pa + nbytes). Both are plain integers of their space; under the LA model `va` is
// a logical address.
struct Region {
  std::uint64_t va = 0;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;

  std::uint64_t end() const { return va + nbytes; }
  friend bool operator==(const Region& a, const Region& b) {
    return a.va == b.va && a.pa == b.pa && a.nbytes == b.nbytes;
  }
};

// Counts pages that hold more than one region; regions are added in ascending order.
class SharedPages {
 public:
  explicit SharedPages(std::uint64_t page_size) : page_size_(page_size) {}
  void add(std::uint64_t begin, std::uint64_t end);
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t page_size_;
  std::uint64_t count_ = 0;
  std::uint64_t behind_page_ = 0;  // last page of the previous region plus 1; 0 = no region yet
  bool counted_ = false;           // that page is already counted
};

// An immutable list, which the tables of all PEs that receive the message share.
class RegionList {
 public:
  // Takes the regions in any order. Program Error ADDRESS_ERROR when two overlap (naming both), when one is empty or
  // wraps around, or when there are none. `space` is the regions' space, for error messages.
  static std::shared_ptr<const RegionList> make(std::vector<Region> regions, AddressSpace space = AddressSpace::va);

  const std::vector<Region>& regions() const { return regions_; }  // sorted by va, disjoint, not empty
  std::uint64_t begin() const { return regions_.front().va; }
  std::uint64_t end() const { return regions_.back().end(); }
  // Index of the first region that ends after `va`; may be regions().size().
  std::size_t first_ending_after(std::uint64_t va) const;
  // Number of pages that hold more than one region.
  std::uint64_t shared_pages(std::uint64_t page_size) const;

 private:
  explicit RegionList(std::vector<Region> regions) : regions_(std::move(regions)) {}

  std::vector<Region> regions_;
};

}  // namespace kb::address
