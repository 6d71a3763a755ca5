#include "platform/address/region_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "platform/base/error.h"

namespace kb::address {

void SharedPages::add(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin / page_size_;
  const std::uint64_t last = (end - 1) / page_size_;
  const bool shared = behind_page_ == first + 1;
  if (shared && !counted_) ++count_;
  counted_ = shared && first == last;
  behind_page_ = last + 1;
}

std::shared_ptr<const RegionList> RegionList::make(std::vector<Region> regions, AddressSpace space) {
  if (regions.empty()) throw Error::program("ADDRESS_ERROR", "a mapping has no entries; name at least one region");
  const std::string_view name = address_space_name(space);
  const auto by_va = [](const Region& a, const Region& b) { return a.va < b.va; };
  if (!std::is_sorted(regions.begin(), regions.end(), by_va)) std::stable_sort(regions.begin(), regions.end(), by_va);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& region = regions[i];
    if (region.nbytes == 0 || region.end() < region.va) {
      throw Error::program("ADDRESS_ERROR", fmt::format("the mapping of {} bytes at {} {:#x} is empty or too large",
                                                        region.nbytes, name, region.va));
    }
    if (i > 0 && region.va < regions[i - 1].end()) {
      throw Error::program(
          "ADDRESS_ERROR",
          fmt::format("the mappings of {} bytes at {} {:#x} and of {} bytes at {} {:#x} overlap; map each byte once",
                      regions[i - 1].nbytes, name, regions[i - 1].va, region.nbytes, name, region.va));
    }
  }
  return std::shared_ptr<const RegionList>(new RegionList(std::move(regions)));
}

std::size_t RegionList::first_ending_after(std::uint64_t va) const {
  const auto found = std::upper_bound(regions_.begin(), regions_.end(), va,
                                      [](std::uint64_t at, const Region& region) { return at < region.end(); });
  return static_cast<std::size_t>(found - regions_.begin());
}

std::uint64_t RegionList::shared_pages(std::uint64_t page_size) const {
  SharedPages pages(page_size);
  for (const Region& region : regions_) pages.add(region.va, region.end());
  return pages.count();
}

}  // namespace kb::address
