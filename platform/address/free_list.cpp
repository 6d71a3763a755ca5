#include "platform/address/free_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/units.h"

namespace kb::address {

FreeList::FreeList(std::string memory, std::uint64_t base, std::uint64_t size, std::uint64_t alignment)
    : memory_(std::move(memory)), base_(base), alignment_(alignment) {
  if (alignment == 0) throw Error::model(fmt::format("{}: the block alignment is 0", memory_));
  size_ = size - size % alignment;  // a tail shorter than one unit can never be handed out
  if (size_ > 0) free_.push_back({base_, size_});
}

std::uint64_t FreeList::rounded(std::int64_t n) const {
  const auto bytes = static_cast<std::uint64_t>(n);
  return (bytes + alignment_ - 1) / alignment_ * alignment_;
}

std::uint64_t FreeList::largest_free_block() const {
  std::uint64_t largest = 0;
  for (const Block& block : free_) largest = std::max(largest, block.size);
  return largest;
}

std::uint64_t FreeList::alloc(std::int64_t n) {
  if (n <= 0) {
    throw Error::program("VALUE_ERROR", fmt::format("{}: cannot allocate {} bytes (ask for at least 1)", memory_, n));
  }
  const std::uint64_t size = rounded(n);
  const auto block = std::find_if(free_.begin(), free_.end(), [&](const Block& b) { return b.size >= size; });
  if (block == free_.end()) {
    throw Error::program(failure_code_,
                         fmt::format("{} is out of memory: {} bytes required, the largest free block has {} bytes "
                                     "({} of {} bytes are free)",
                                     memory_, size, largest_free_block(), free_bytes(), size_));
  }
  const std::uint64_t start = block->start;
  if (block->size == size) {
    free_.erase(block);
  } else {
    block->start += size;
    block->size -= size;
  }
  used_ += size;
  allocated_.emplace(start, size);
  return start;
}

void FreeList::free(std::uint64_t start, std::int64_t n) {
  const auto held = allocated_.find(start);
  if (n <= 0 || held == allocated_.end() || held->second != rounded(n)) {
    throw Error::model(
        fmt::format("{}: freeing {} bytes at {:#x}, which is not an allocated block", memory_, n, start));
  }
  const std::uint64_t size = held->second;
  allocated_.erase(held);
  used_ -= size;
  auto next = std::lower_bound(free_.begin(), free_.end(), start,
                               [](const Block& block, std::uint64_t at) { return block.start < at; });
  const bool joins_next = next != free_.end() && next->start == start + size;
  const bool joins_previous = next != free_.begin() && std::prev(next)->start + std::prev(next)->size == start;
  if (joins_previous) {
    const auto previous = std::prev(next);
    previous->size += size + (joins_next ? next->size : 0);
    if (joins_next) free_.erase(next);
  } else if (joins_next) {
    next->start = start;
    next->size += size;
  } else {
    free_.insert(next, {start, size});
  }
}

}  // namespace kb::address
