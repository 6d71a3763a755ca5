// Pooled memory for recorded uses: small pieces for thousands of series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kb::record {

// An element of a chain, two cache lines long, because most series of a large machine store little. The bytes are not
// initialised.
struct alignas(128) Chunk {  // NOLINT(cppcoreguidelines-pro-type-member-init)
  static constexpr std::uint32_t kBytes = 128 - sizeof(void*) - sizeof(std::uint32_t);

  Chunk* next = nullptr;
  std::uint32_t used = 0;
  char bytes[kBytes];  // the last bytes of the chunk

  void end_at(const char* end) { used = static_cast<std::uint32_t>(end - bytes); }
  // The chunk of a position after the first of `bytes`, up to and including their end.
  static Chunk* of(char* at) { return reinterpret_cast<Chunk*>(at - 1 - (address(at) - 1) % sizeof(Chunk)); }
  // Number of bytes from a position to the end of its chunk; 0 at the end and for nullptr.
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
  // Returns a chain, from its first chunk to its last one, to the pool.
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
