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
  bins.for_each_item([&](const BinItem& item) {
    to = put(to, item.index - expected);
    to = put(to, static_cast<std::uint64_t>(item.busy.fs()));
    to = put(to, item.bytes);
    to = put(to, item.queue);
    to = put(to, static_cast<std::uint64_t>(item.wait.fs()));
    expected = item.index + 1;
  });
  return to;
}

}  // namespace

void BinPool::add_slab() {
  constexpr std::size_t kChunks = 256;
  std::vector<BinChunk>& slab = slabs_.emplace_back(kChunks);
  for (BinChunk& chunk : slab) give_back(&chunk, &chunk);
}

void OpenBins::grow(BinPool& pool) {
  BinChunk* const chunk = pool.take();
  (last_ == nullptr ? first_ : last_->next) = chunk;
  last_ = chunk;
  used_ = 0;
}

void OpenBins::end_at(BinChunk* chunk, std::uint32_t used, BinPool& pool) {
  if (chunk->next != nullptr) pool.give_back(chunk->next, last_);
  chunk->next = nullptr;
  last_ = chunk;
  used_ = used;
}

void OpenBins::widen(int by, BinPool& pool) {
  BinChunk* to = first_;
  std::uint32_t at = 0;  // of the next item in `to`
  BinItem* latest = nullptr;
  for_each_item([&](const BinItem& item) {
    const std::uint32_t index = item.index >> by;
    if (latest != nullptr && latest->index == index) {
      accumulate(latest->busy, item.busy);
      accumulate(latest->wait, item.wait);
      latest->bytes += item.bytes;
      latest->queue = std::max(latest->queue, item.queue);
      return;
    }
    if (at == BinChunk::kItems) {
      to = to->next;
      at = 0;
    }
    latest = &to->items[at++];
    *latest = item;
    latest->index = index;
  });
  if (to != nullptr) end_at(to, at, pool);
}

Bin OpenBins::sum() const {
  Bin sum;
  for_each_item([&](const BinItem& item) { sum.add(item.bin()); });
  return sum;
}

std::size_t OpenBins::size() const {
  std::size_t items = 0;
  for (const BinChunk* chunk = first_; chunk != nullptr; chunk = chunk->next)
    items += chunk == last_ ? used_ : BinChunk::kItems;
  return items;
}

Bin OpenBins::take_last(std::uint32_t index, BinPool& pool) {
  if (last_ == nullptr || last_->items[used_ - 1].index != index) return {};
  const Bin bin = last_->items[--used_].bin();
  if (used_ > 0) return bin;
  if (first_ == last_) {
    clear(pool);
    return bin;
  }
  BinChunk* before = first_;
  while (before->next != last_) before = before->next;
  end_at(before, BinChunk::kItems, pool);
  return bin;
}

std::string BinList::packed() const {
  if (plain_.empty()) return std::string(data_);
  std::string data(plain_.size() * kMostBytes, '\0');
  data.resize(static_cast<std::size_t>(put(data.data(), plain_) - data.data()));
  return data;
}

BinList BinStore::pack(const OpenBins& bins) {
  const std::size_t most = bins.size() * kMostBytes;
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
  list.for_each([&](std::uint32_t index, const Bin& bin) { bins.append(index, bin, pool_); });
  bins.widen(by, pool_);
  const BinList packed = pack(bins);
  bins.clear(pool_);
  return packed;
}

}  // namespace kb::record
