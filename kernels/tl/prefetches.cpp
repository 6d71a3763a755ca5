#include "kernels/tl/prefetches.h"

#include <algorithm>
#include <utility>

#include "platform/contract/command.h"

namespace kb::tl {
namespace {

// Sorts by address and merges overlaps.
void sort_and_merge(std::vector<Extent>& extents) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.pa < b.pa; });
  std::size_t kept = 0;
  for (const Extent& extent : extents) {
    if (kept > 0 && extent.pa <= extents[kept - 1].pa + extents[kept - 1].nbytes) {
      Extent& last = extents[kept - 1];
      last.nbytes = std::max(last.pa + last.nbytes, extent.pa + extent.nbytes) - last.pa;
    } else {
      extents[kept++] = extent;
    }
  }
  extents.resize(kept);
}

// `sorted` is ordered by address and disjoint.
bool overlap(const std::vector<Extent>& sorted, const std::vector<Extent>& others) {
  return std::any_of(others.begin(), others.end(), [&](const Extent& other) {
    const auto end = [](const Extent& extent) { return extent.pa + extent.nbytes; };
    const auto after = std::lower_bound(sorted.begin(), sorted.end(), end(other),
                                        [](const Extent& one, std::uint64_t pa) { return one.pa < pa; });
    return after != sorted.begin() && end(*std::prev(after)) > other.pa;
  });
}

}  // namespace

template <typename Condition>
void Prefetches::drop_if(const Condition& condition) {
  const auto dropped =
      std::stable_partition(open_.begin(), open_.end(), [&](const Prefetch& one) { return !condition(one); });
  for (auto it = dropped; it != open_.end(); ++it) pe_.abandon(it->ticket);
  open_.erase(dropped, open_.end());
}

Prefetches::Prefetch Prefetches::of(Ptr ptr, std::int64_t row_stride, const std::vector<Extent>& memory) const {
  Prefetch prefetch{ptr, row_stride, pe_.physical(memory), {}, 0, {}};
  sort_and_merge(prefetch.bytes);
  return prefetch;
}

void Prefetches::add(Prefetch&& prefetch, const InFlight& in_flight) {
  for (const InFlight::Operation& operation : in_flight.open()) {
    if (operation.memory.empty() || !overlap(prefetch.bytes, pe_.physical(operation.memory))) continue;
    return pe_.abandon(prefetch.ticket);
  }
  open_.push_back(std::move(prefetch));
}

std::optional<Prefetches::Prefetch> Prefetches::take(Ptr ptr, const Shape& shape, std::int64_t row_stride,
                                                     const Tensors& tensors) {
  drop_if([&](const Prefetch& one) { return !tensors.alive(one.result); });
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    if (!(it->ptr == ptr) || it->row_stride != row_stride || it->result.shape() != shape) continue;
    Prefetch found = std::move(*it);
    open_.erase(it);
    return found;
  }
  return std::nullopt;
}

void Prefetches::drop_for(const contract::Command& command) {
  if (command.kind == contract::CommandKind::barrier || command.kind == contract::CommandKind::ipcq_recv) {
    return drop_all();
  }
  const std::vector<Extent>* const memory = memory_written_by(command);
  if (memory == nullptr) return;
  const std::vector<Extent> written = pe_.physical(*memory);
  drop_if([&](const Prefetch& one) { return overlap(one.bytes, written); });
}

void Prefetches::drop_all() {
  drop_if([](const Prefetch&) { return true; });
}

}  // namespace kb::tl
