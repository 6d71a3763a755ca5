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

// Bins that are still filled, without the empty ones, in their order.
class OpenBins {
 public:
  struct Item {
    TimeFs busy = 0_fs, wait = 0_fs;
    std::uint64_t bytes = 0;
    std::uint32_t index = 0;
    std::uint32_t queue = 0;  // at most 2^32 - 1

    Bin bin() const { return {busy, wait, bytes, queue}; }
  };

  void append(std::uint32_t index, const Bin& bin) {  // indices rise
    if (items_.empty()) items_.reserve(kFirst);
    items_.push_back({bin.busy, bin.wait, bin.bytes, index, narrow(bin.queue)});
  }
  // Makes bins 2^by times as wide.
  void widen(int by);
  // Removes the last bin when it is that of `index`, and returns it; else an empty one.
  Bin take_last(std::uint32_t index);
  Bin sum() const;
  bool empty() const { return items_.empty(); }
  void clear() { items_.clear(); }
  const std::vector<Item>& items() const { return items_; }

 private:
  static constexpr std::size_t kFirst = 16;
  static std::uint32_t narrow(std::uint64_t queue) {
    return queue < ~std::uint32_t{0} ? static_cast<std::uint32_t>(queue) : ~std::uint32_t{0};
  }

  std::vector<Item> items_;
};

// The non-empty bins of an epoch that is over, in their order. They belong to a BinStore.
//
// Packed, a bin is the number of bins that were skipped, busy, bytes, queue, wait: varints of seven bits a byte, the
// lowest first.
class BinList {
 public:
  BinList() = default;
  explicit BinList(std::string_view data) : data_(data) {}
  explicit BinList(const OpenBins& open) : open_(&open) {}

  std::string packed() const;
  // Calls f(index, bin) for each.
  template <typename F>
  void for_each(F&& f) const {
    if (open_ != nullptr) {
      for (const OpenBins::Item& item : open_->items()) f(item.index, item.bin());
      return;
    }
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

  const OpenBins* open_ = nullptr;
  std::string_view data_;
};

// Keeps bins, which stay where they are.
class BinStore {
 public:
  BinList keep(OpenBins bins) { return BinList(kept_.emplace_back(std::move(bins))); }
  BinList pack(const OpenBins& bins);
  // The same bins, 2^by times as wide.
  BinList widened(const BinList& list, int by);

 private:
  std::deque<OpenBins> kept_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace kb::record
