// How busy a resource was over time, in the form that it is recorded (docs/architecture/seeing.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/base/units.h"

namespace kb::record {

enum class SeriesKind : std::uint8_t { link, pseudo_channel, engine, dma, tcm, state };
std::string_view series_kind_name(SeriesKind kind);  // "pseudo_channel"

// The use of a resource within [begin, end), evenly spread. `busy` exceeds the span when the resource has several
// units.
struct Usage {
  TimeFs begin = 0_fs, end = 0_fs;
  TimeFs busy = 0_fs;
  TimeFs wait = 0_fs;  // of everything that was served, together
  std::uint64_t bytes = 0;
  std::uint64_t queue = 0;  // the longest

  bool is_dense() const { return busy == end - begin; }
  // The part before `at`, which lies inside; the rest stays here. Sums are conserved.
  Usage take_until(TimeFs at);
};

struct Bin {
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
  std::uint64_t queue = 0;  // the longest

  void add(const Usage& part);
  void add(const Bin& other);
  bool is_empty() const { return busy == 0_fs && wait == 0_fs && bytes == 0; }
};

// Non-empty bins in their order, each as the number of bins that were skipped, busy, bytes, queue, wait: varints of
// seven bits a byte, the lowest first.
class BinBlob {
 public:
  void append(std::uint32_t index, const Bin& bin);  // indices rise
  bool empty() const { return data_.empty(); }
  const std::string& data() const { return data_; }
  // Calls f(index, bin) for each.
  template <typename F>
  void for_each(F&& f) const {
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
  // The same with bins of 2^by times the width.
  BinBlob widened(int by) const;

 private:
  std::uint64_t read(std::size_t& at) const;

  std::string data_;
  std::uint32_t next_ = 0;  // index behind the last bin
};

}  // namespace kb::record
