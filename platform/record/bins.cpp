#include "platform/record/bins.h"

#include <algorithm>

namespace kb::record {
namespace {

constexpr std::size_t kMostBytes = 5 * 10;  // of a bin: five numbers
constexpr std::size_t kChunkBytes = std::size_t{1} << 18U;

char* put(char* to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) *to++ = static_cast<char>(number | 0x80);
  *to++ = static_cast<char>(number);
  return to;
}

char* put(char* to, const OpenBins& bins) {
  std::uint32_t expected = 0;
  for (const OpenBins::Item& item : bins.items()) {
    to = put(to, item.index - expected);
    to = put(to, static_cast<std::uint64_t>(item.busy.fs()));
    to = put(to, item.bytes);
    to = put(to, item.queue);
    to = put(to, static_cast<std::uint64_t>(item.wait.fs()));
    expected = item.index + 1;
  }
  return to;
}

}  // namespace

void OpenBins::widen(int by) {
  if (items_.empty()) return;
  Item* last = items_.data();
  last->index >>= by;
  Item* const end = last + items_.size();
  for (const Item* item = last + 1; item != end; ++item) {
    const std::uint32_t index = item->index >> by;
    if (index == last->index) {
      accumulate(last->busy, item->busy);
      accumulate(last->wait, item->wait);
      last->bytes += item->bytes;
      last->queue = std::max(last->queue, item->queue);
    } else {
      *++last = *item;
      last->index = index;
    }
  }
  items_.resize(static_cast<std::size_t>(last - items_.data()) + 1);
}

Bin OpenBins::sum() const {
  Bin sum;
  for (const Item& item : items_) sum.add(item.bin());
  return sum;
}

Bin OpenBins::take_last(std::uint32_t index) {
  if (items_.empty() || items_.back().index != index) return {};
  const Bin last = items_.back().bin();
  items_.pop_back();
  return last;
}

std::string BinList::packed() const {
  if (open_ == nullptr) return std::string(data_);
  std::string data(open_->items().size() * kMostBytes, '\0');
  data.resize(static_cast<std::size_t>(put(data.data(), *open_) - data.data()));
  return data;
}

BinList BinStore::pack(const OpenBins& bins) {
  const std::size_t most = bins.items().size() * kMostBytes;
  if (most > left_) {
    left_ = std::max(most, kChunkBytes);
    chunks_.emplace_back(new char[left_]);  // not cleared, as make_unique does
    next_ = chunks_.back().get();
  }
  char* const begin = std::exchange(next_, put(next_, bins));
  const auto size = static_cast<std::size_t>(next_ - begin);
  left_ -= size;
  return BinList(std::string_view(begin, size));
}

BinList BinStore::widened(const BinList& list, int by) {
  OpenBins bins;
  list.for_each([&](std::uint32_t index, const Bin& bin) { bins.append(index, bin); });
  bins.widen(by);
  return pack(bins);
}

}  // namespace kb::record
