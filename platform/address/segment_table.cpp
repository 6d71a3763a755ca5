#include "platform/address/segment_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "platform/base/error.h"

namespace kb::address {
namespace {

std::string range_text(const RegionList& list) {
  return fmt::format("LA {:#x} to {:#x}", list.begin(), list.end() - 1);
}

}  // namespace

void SegmentTable::install(std::shared_ptr<const RegionList> segments) {
  const auto next = lists_.lower_bound(segments->end());
  if (next != lists_.begin() && std::prev(next)->second->end() > segments->begin()) {
    throw Error::program("ADDRESS_ERROR", fmt::format("the segments at {} collide with those at {}; remove these first",
                                                      range_text(*segments), range_text(*std::prev(next)->second)));
  }
  const std::uint64_t begin = segments->begin();
  lists_.emplace_hint(next, begin, std::move(segments));
}

void SegmentTable::remove(LogicalAddr la, std::uint64_t nbytes) {
  const auto found = lists_.find(la.value);
  if (found != lists_.end() && found->second->end() == la.value + nbytes) {
    lists_.erase(found);
    return;
  }
  throw Error::program(
      "ADDRESS_ERROR",
      fmt::format("no segments of {} bytes are installed at LA {:#x}{}; remove what was installed, once", nbytes,
                  la.value, found == lists_.end() ? "" : fmt::format(" ({} are)", range_text(*found->second))));
}

std::optional<LogicalAddr> SegmentTable::lookup(LogicalAddr la, std::uint64_t nbytes,
                                                std::vector<Extent>& extents) const {
  const std::size_t before = extents.size();
  std::uint64_t at = la.value;
  auto list = lists_.upper_bound(at);
  if (list != lists_.begin()) --list;
  for (; nbytes > 0 && list != lists_.end() && list->first <= at; ++list) {
    const std::vector<Region>& segments = list->second->regions();
    for (std::size_t i = list->second->first_ending_after(at); nbytes > 0 && i < segments.size(); ++i) {
      const Region& segment = segments[i];
      if (segment.va > at) break;
      const std::uint64_t part = std::min(nbytes, segment.end() - at);
      extents.push_back({segment.pa + (at - segment.va), part});
      at += part;
      nbytes -= part;
    }
  }
  if (nbytes == 0) return std::nullopt;
  extents.resize(before);
  return LogicalAddr(at);
}

std::uint64_t SegmentTable::segments() const {
  std::uint64_t count = 0;
  for (const auto& [begin, list] : lists_) count += list->regions().size();
  return count;
}

}  // namespace kb::address
