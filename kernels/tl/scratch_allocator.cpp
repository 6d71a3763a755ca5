#include "kernels/tl/scratch_allocator.h"

namespace kb::tl {

ScratchAllocator::ScratchAllocator(std::uint64_t base_pa, std::uint64_t capacity)
    : base_(base_pa), capacity_(capacity), open_{{0, 0}} {}

std::uint64_t ScratchAllocator::aligned_cursor() const {
  const std::uint64_t address = base_ + cursor_;
  return (address + kAlignment - 1) / kAlignment * kAlignment - base_;
}

std::uint64_t ScratchAllocator::free_bytes() const {
  const std::uint64_t start = aligned_cursor();
  return start < capacity_ ? capacity_ - start : 0;
}

std::optional<std::uint64_t> ScratchAllocator::allocate(std::uint64_t nbytes) {
  if (nbytes > free_bytes()) return std::nullopt;
  const std::uint64_t start = aligned_cursor();
  cursor_ = start + nbytes;
  return base_ + start;
}

ScratchAllocator::Scope ScratchAllocator::open() {
  open_.push_back({++generations_, cursor_});
  return current();
}

void ScratchAllocator::close(Scope scope) {
  if (!alive(scope) || scope.depth == 0) return;
  cursor_ = open_[scope.depth].start;
  open_.resize(scope.depth);
}

}  // namespace kb::tl
