// Memory of what is recorded: small pieces for thousands of series, used again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kb::record {

// A piece of a chain, two cache lines: most series of a large machine have little to keep. Its bytes are not cleared.
struct alignas(128) Chunk {  // NOLINT(cppcoreguidelines-pro-type-member-init)
  static constexpr std::uint32_t kBytes = 128 - sizeof(void*) - sizeof(std::uint32_t);

  Chunk* next = nullptr;
  std::uint32_t used = 0;
  char bytes[kBytes];  // the last ones of the chunk

  void end_at(const char* end) { used = static_cast<std::uint32_t>(end - bytes); }
  // From a place behind the first of `bytes`, or at their end.
  static Chunk* of(char* at) { return reinterpret_cast<Chunk*>(at - 1 - (address(at) - 1) % sizeof(Chunk)); }
  // Bytes from a place in a chunk to its end; 0 at the end, and of nullptr.
  static std::size_t room_at(const char* at) { return -address(at) % sizeof(Chunk); }

 private:
  static std::uintptr_t address(const char* at) { return reinterpret_cast<std::uintptr_t>(at); }
};
static_assert(sizeof(Chunk) == 128 && offsetof(Chunk, bytes) + Chunk::kBytes == sizeof(Chunk));

class ChunkPool {
 public:
  Chunk* take() {
    if (free_ == nullptr) add_slab();
    Chunk* const chunk = std::exchange(free_, free_->next);
    chunk->used = 0;
    chunk->next = nullptr;
    return chunk;
  }
  // A chain, from its first chunk to its last.
  void give_back(Chunk* first, Chunk* last) {
    last->next = free_;
    free_ = first;
  }

 private:
  void add_slab();

  std::vector<std::unique_ptr<Chunk[]>> slabs_;
  Chunk* free_ = nullptr;
};

}  // namespace kb::record
