// First-fit free list with coalescing over a range of offsets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kb::address {

class FreeList {
 public:
  struct Block {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    friend bool operator==(const Block& a, const Block& b) { return a.start == b.start && a.size == b.size; }
  };

  // Manages [base, base + size). Every size is rounded up to a multiple of `alignment`, so that every start is also a
  // multiple (relative to base). `memory` is the name in messages: "sip0.cube1.pe3 HBM slice". Model Error when
  // alignment is 0.
  FreeList(std::string memory, std::uint64_t base, std::uint64_t size, std::uint64_t alignment);

  // Takes the front of the first free block that holds n bytes. n <= 0: program Error VALUE_ERROR. No such block:
  // program Error `failure_code` with the required size, the largest free block and the memory. The list is
  // unchanged after a failure.
  std::uint64_t alloc(std::int64_t n);
  // Frees exactly one block that alloc(n) has returned and that is not free yet; otherwise model Error.
  void free(std::uint64_t start, std::int64_t n);

  std::uint64_t used_bytes() const { return used_; }
  std::uint64_t free_bytes() const { return size_ - used_; }
  std::uint64_t largest_free_block() const;
  const std::vector<Block>& free_blocks() const { return free_; }  // sorted by start, never adjacent
  bool pristine() const { return used_ == 0; }                     // equal to the state after construction

  void set_failure_code(std::string code) { failure_code_ = std::move(code); }
  const std::string& memory() const { return memory_; }

 private:
  std::uint64_t rounded(std::int64_t n) const;

  std::string memory_;
  std::string failure_code_ = "ALLOCATION_ERROR";
  std::uint64_t base_, size_, alignment_;
  std::uint64_t used_ = 0;
  std::vector<Block> free_;
  std::map<std::uint64_t, std::uint64_t> allocated_;  // start -> rounded size, to check calls of free()
};

}  // namespace kb::address
