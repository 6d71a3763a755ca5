// The non-empty bins of one resource in one epoch. They are packed, because there are hundreds of thousands of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/record/activity.h"
#include "platform/record/chunks.h"

namespace kb::record {

struct IndexedBin {
  std::uint32_t index = 0;  // below 2^16
  Bin bin;
};

// A packed bin has a head (the number of skipped bins before it and four lengths), followed by busy, wait, bytes and
// queue in the number of bytes that each needs, little-endian.
class PackedBin {
 public:
  static constexpr std::size_t kHeadBytes = 4;
  static constexpr std::size_t kMaxBytes = kHeadBytes + 4 * sizeof(std::uint64_t);
  // Number of bytes after the last packed bin that are read but not used.
  static constexpr std::size_t kSlack = kMaxBytes;

  // Returns the end of the written bytes; up to kMaxBytes may be overwritten.
  static char* put(char* to, std::uint32_t skipped, const Bin& bin) {
    std::uint32_t head = skipped << kLengthBits;
    char* at = to + kHeadBytes;
    const auto add = [&](std::uint64_t number, int shift) {
      if (number == 0) return;  // most bins have neither waits nor a queue
      std::memcpy(at, &number, sizeof number);
      const int length = 8 - __builtin_clzll(number) / 8;
      head |= static_cast<std::uint32_t>(length) << shift;
      at += length;
    };
    add(static_cast<std::uint64_t>(bin.busy.fs()), 0);
    add(static_cast<std::uint64_t>(bin.wait.fs()), 4);
    add(bin.bytes, 8);
    add(bin.queue, 12);
    std::memcpy(to, &head, sizeof head);
    return at;
  }

  explicit PackedBin(const char* from) : from_(from) { std::memcpy(&head_, from, sizeof head_); }

  std::uint32_t skipped() const { return head_ >> kLengthBits; }
  const char* end() const { return from_ + kHeadBytes + (length(0) + length(1) + length(2) + length(3)); }
  Bin bin() const {
    std::uint64_t numbers[4];
    const char* at = from_ + kHeadBytes;
    for (int i = 0; i < 4; ++i) {
      std::memcpy(&numbers[i], at, sizeof numbers[i]);
      numbers[i] &= length(i) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * length(i)) - 1;
      at += length(i);
    }
    return {TimeFs(static_cast<std::int64_t>(numbers[0])), TimeFs(static_cast<std::int64_t>(numbers[1])), numbers[2],
            numbers[3]};
  }
  // A copy with another number of skipped bins; up to kMaxBytes may be overwritten.
  char* copy(char* to, std::uint32_t skipped) const {
    std::memcpy(to, from_, kMaxBytes);
    const std::uint32_t head = (head_ & ((1U << kLengthBits) - 1)) | skipped << kLengthBits;
    std::memcpy(to, &head, sizeof head);
    return to + (end() - from_);
  }

 private:
  static constexpr int kLengthBits = 16;

  std::uint32_t length(int i) const { return head_ >> 4 * i & 15U; }

  const char* from_;
  std::uint32_t head_ = 0;
};

// Bins of an epoch in progress, in order.
class BinWriter {
 public:
  void append(std::uint32_t index, const Bin& bin, ChunkPool& pool) {  // indices must ascend
    end_at(PackedBin::put(next_place(pool), index - next_index_, bin));
    next_index_ = index + 1;
  }
  // Makes the bins 2^by times as wide, and removes and returns the last one; an empty bin when there is none.
  IndexedBin widen(int by, ChunkPool& pool);
  bool empty() const { return first_ == nullptr; }
  void clear(ChunkPool& pool) {
    if (first_ != nullptr) pool.give_back(first_, last_);
    *this = {};
  }
  template <typename F>
  void for_each(F&& f) const {
    for_each_packed([&](std::uint32_t index, const PackedBin& packed) { f(index, packed.bin()); });
  }
  std::size_t bytes() const;
  char* copy_to(char* to) const;  // returns the end of the copy

 private:
  template <typename F>
  void for_each_packed(F&& f) const {
    std::uint32_t index = 0;
    for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
      for (const char* at = chunk->bytes; at < chunk->bytes + chunk->used;) {
        const PackedBin packed(at);
        at = packed.end();
        index += packed.skipped();
        f(index++, packed);
      }
    }
  }
  char* next_place(ChunkPool& pool) {
    if (last_ == nullptr || last_->used + PackedBin::kMaxBytes > Chunk::kBytes) grow(pool);
    return last_->bytes + last_->used;
  }
  void end_at(const char* end) { last_->end_at(end); }
  void grow(ChunkPool& pool);

  Chunk *first_ = nullptr, *last_ = nullptr;
  std::uint32_t next_index_ = 0;
};

// The bins of a finished epoch, in order; a BinStore owns the memory.
class BinList {
 public:
  BinList() = default;
  explicit BinList(std::string_view packed) : packed_(packed) {}

  // Calls f(index, bin) for each bin.
  template <typename F>
  void for_each(F&& f) const {
    std::uint32_t index = 0;
    for (const char* at = packed_.data(); at < packed_.data() + packed_.size();) {
      const PackedBin packed(at);
      at = packed.end();
      index += packed.skipped();
      f(index++, packed.bin());
    }
  }
  // Encoding in files: for each bin the number of skipped bins, busy, bytes, queue, wait, as little-endian varints with
  // seven bits per byte.
  std::string varints() const;

 private:
  std::string_view packed_;
};

// Owns packed bins at stable addresses.
class BinStore {
 public:
  ChunkPool& pool() { return pool_; }
  BinList keep(const BinWriter& bins);
  // A copy with bins that are 2^by times as wide.
  BinList widened(const BinList& list, int by);

 private:
  ChunkPool pool_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace kb::record
