// The kernel scratch of one PE (P-58): a stack of scopes over a bump allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kb::tl {

class ScratchAllocator {
 public:
  static constexpr std::uint64_t kAlignment = 16;

  // The scope of an allocation; it is open as long as the allocation is valid.
  struct Scope {
    std::uint32_t depth = 0;
    std::uint64_t generation = 0;
  };

  ScratchAllocator(std::uint64_t base_pa, std::uint64_t capacity);

  // Aligned physical address of `nbytes`; no value when they do not fit.
  std::optional<std::uint64_t> allocate(std::uint64_t nbytes);
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t free_bytes() const;  // size that one aligned allocation can still get

  Scope open();  // opens a scope inside the current one
  // Frees all allocations since `scope` was opened, including those of inner scopes.
  void close(Scope scope);
  Scope current() const { return {static_cast<std::uint32_t>(open_.size() - 1), open_.back().generation}; }
  bool alive(Scope scope) const {
    return scope.depth < open_.size() && open_[scope.depth].generation == scope.generation;
  }

 private:
  struct Open {
    std::uint64_t generation;
    std::uint64_t start;  // cursor at opening
  };
  std::uint64_t aligned_cursor() const;

  std::uint64_t base_;
  std::uint64_t capacity_;
  std::uint64_t cursor_ = 0;
  std::uint64_t generations_ = 0;
  std::vector<Open> open_;
};

}  // namespace kb::tl
