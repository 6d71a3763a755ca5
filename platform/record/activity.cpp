#include "platform/record/activity.h"

#include <algorithm>

namespace kb::record {

std::string_view series_kind_name(SeriesKind kind) {
  switch (kind) {
    case SeriesKind::link:
      return "link";
    case SeriesKind::pseudo_channel:
      return "pseudo_channel";
    case SeriesKind::engine:
      return "engine";
    case SeriesKind::dma:
      return "dma";
    case SeriesKind::tcm:
      return "tcm";
    case SeriesKind::state:
      return "state";
  }
  return "";
}

Usage Usage::take_until(TimeFs at) {
  const TimeFs part = at - begin;
  const double ratio = static_cast<double>(part.fs()) / static_cast<double>((end - begin).fs());
  const auto share = [&](std::int64_t value) {
    return std::min(value, static_cast<std::int64_t>(static_cast<double>(value) * ratio));
  };
  Usage taken = *this;
  taken.end = at;
  taken.busy = is_dense() ? part : TimeFs(share(busy.fs()));
  taken.wait = TimeFs(share(wait.fs()));
  taken.bytes = static_cast<std::uint64_t>(share(static_cast<std::int64_t>(bytes)));
  begin = at;
  busy -= taken.busy;
  wait -= taken.wait;
  bytes -= taken.bytes;
  return taken;
}

void Bin::add(const Usage& part) {
  accumulate(busy, part.busy);
  accumulate(wait, part.wait);
  bytes += part.bytes;
  queue = std::max(queue, part.queue);
}

void Bin::add(const Bin& other) {
  accumulate(busy, other.busy);
  accumulate(wait, other.wait);
  bytes += other.bytes;
  queue = std::max(queue, other.queue);
}

std::uint64_t BinBlob::read(std::size_t& at) const {
  std::uint64_t number = 0;
  for (int shift = 0; at < data_.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(data_[at++]);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

void BinBlob::append(std::uint32_t index, const Bin& bin) {
  constexpr std::size_t kMostBytes = 10;  // of a number
  constexpr std::size_t kUsualBytes = 120;
  char text[5 * kMostBytes];
  char* end = text;
  for (std::uint64_t number : {std::uint64_t{index - next_}, static_cast<std::uint64_t>(bin.busy.fs()), bin.bytes,
                               bin.queue, static_cast<std::uint64_t>(bin.wait.fs())}) {
    for (; number >= 0x80; number >>= 7) *end++ = static_cast<char>(number | 0x80);
    *end++ = static_cast<char>(number);
  }
  if (data_.empty()) data_.reserve(kUsualBytes);
  data_.append(text, end);
  next_ = index + 1;
}

BinBlob BinBlob::widened(int by) const {
  BinBlob wide;
  std::uint32_t open = 0;
  Bin sum;
  for_each([&](std::uint32_t index, const Bin& bin) {
    if (index >> by != open && !sum.is_empty()) wide.append(open, sum);
    if (index >> by != open) sum = {};
    open = index >> by;
    sum.add(bin);
  });
  if (!sum.is_empty()) wide.append(open, sum);
  return wide;
}

}  // namespace kb::record
