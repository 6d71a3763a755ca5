// Bins of one resource in one epoch: plain while they are filled and at the end of a run, packed between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/record/activity.h"

namespace kb::record {

// One bin that is not packed.
struct BinItem {
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
  std::uint32_t index = 0;
  std::uint32_t queue = 0;  // at most 2^32 - 1

  Bin bin() const { return {busy, wait, bytes, queue}; }
};

// Room for a few bins, in a chain. Four cache lines: most series of a large machine have few bins.
struct alignas(64) BinChunk {
  static constexpr std::uint32_t kItems = 7;

  BinItem items[kItems];
  BinChunk* next = nullptr;
};

// Chunks for all series, used again and again.
class BinPool {
 public:
  BinChunk* take() {
    if (free_ == nullptr) add_slab();
    BinChunk* const chunk = std::exchange(free_, free_->next);
    chunk->next = nullptr;
    return chunk;
  }
  void give_back(BinChunk* first, BinChunk* last) {
    last->next = free_;
    free_ = first;
  }

 private:
  void add_slab();

  std::deque<std::vector<BinChunk>> slabs_;
  BinChunk* free_ = nullptr;
};

// Bins that are still filled, without the empty ones, in their order.
class OpenBins {
 public:
  void append(std::uint32_t index, const Bin& bin, BinPool& pool) {  // indices rise
    if (used_ == BinChunk::kItems || last_ == nullptr) grow(pool);
    last_->items[used_++] = {bin.busy, bin.wait, bin.bytes, index, narrow(bin.queue)};
  }
  // Makes bins 2^by times as wide.
  void widen(int by, BinPool& pool);
  // Removes the last bin when it is that of `index`, and returns it; else an empty one.
  Bin take_last(std::uint32_t index, BinPool& pool);
  Bin sum() const;
  bool empty() const { return first_ == nullptr; }
  void clear(BinPool& pool) {
    if (first_ != nullptr) pool.give_back(first_, last_);
    *this = {};
  }
  std::size_t size() const;
  template <typename F>
  void for_each_item(F&& f) const {
    for (const BinChunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
      const std::uint32_t count = chunk == last_ ? used_ : BinChunk::kItems;
      for (std::uint32_t i = 0; i < count; ++i) f(chunk->items[i]);
    }
  }

 private:
  static std::uint32_t narrow(std::uint64_t queue) {
    return queue < ~std::uint32_t{0} ? static_cast<std::uint32_t>(queue) : ~std::uint32_t{0};
  }
  void grow(BinPool& pool);
  void end_at(BinChunk* chunk, std::uint32_t used, BinPool& pool);

  BinChunk *first_ = nullptr, *last_ = nullptr;
  std::uint32_t used_ = 0;  // of the last one; at least one when there is one
};

// The non-empty bins of an epoch that is over, in their order. They belong to a BinStore.
//
// Packed, a bin is the number of bins that were skipped, busy, bytes, queue, wait: varints of seven bits a byte, the
// lowest first.
class BinList {
 public:
  BinList() = default;
  explicit BinList(std::string_view data) : data_(data) {}
  explicit BinList(const OpenBins& plain) : plain_(plain) {}

  std::string packed() const;
  // Calls f(index, bin) for each.
  template <typename F>
  void for_each(F&& f) const {
    plain_.for_each_item([&](const BinItem& item) { f(item.index, item.bin()); });
    std::uint32_t index = 0;
    for (std::size_t at = 0; at < data_.size();) {
      index += static_cast<std::uint32_t>(read(at));
      Bin bin;
      bin.busy = TimeFs(static_cast<std::int64_t>(read(at)));
      bin.bytes = read(at);
      bin.queue = read(at);
      bin.wait = TimeFs(static_cast<std::int64_t>(read(at)));
      f(index++, bin);
    }
  }

 private:
  std::uint64_t read(std::size_t& at) const {
    std::uint64_t number = 0;
    for (int shift = 0; at < data_.size() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(data_[at++]);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return number;
  }

  OpenBins plain_;  // or packed:
  std::string_view data_;
};

// Keeps bins, which stay where they are.
class BinStore {
 public:
  BinPool& pool() { return pool_; }
  BinList pack(const OpenBins& bins);
  // The same bins, 2^by times as wide.
  BinList widened(const BinList& list, int by);

 private:
  BinPool pool_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace kb::record
