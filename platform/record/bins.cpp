#include "platform/record/bins.h"

#include <algorithm>
#include <utility>

namespace kb::record {
namespace {

constexpr std::size_t kStoreBytes = std::size_t{1} << 18U;

void put_varint(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) to += static_cast<char>(number | 0x80);
  to += static_cast<char>(number);
}

}  // namespace

void BinWriter::grow(ChunkPool& pool) {
  Chunk* const chunk = pool.take();
  (last_ == nullptr ? first_ : last_->next) = chunk;
  last_ = chunk;
}

IndexedBin BinWriter::widen(int by, ChunkPool& pool) {
  if (empty()) return {};
  by = std::min(by, 31);  // indices are small
  BinWriter wide;
  char* latest = nullptr;  // in `wide`
  std::uint32_t skipped = 0;
  for_each_packed([&](std::uint32_t index, const PackedBin& packed) {
    if (latest != nullptr && index >> by == wide.next_index_ - 1) {
      Bin sum = PackedBin(latest).bin();
      sum.add(packed.bin());
      wide.end_at(PackedBin::put(latest, skipped, sum));
      return;
    }
    latest = wide.next_place(pool);
    skipped = (index >> by) - wide.next_index_;
    wide.end_at(packed.copy(latest, skipped));
    wide.next_index_ = (index >> by) + 1;
  });
  const IndexedBin last{wide.next_index_ - 1, PackedBin(latest).bin()};
  wide.end_at(latest);
  wide.next_index_ -= 1 + skipped;
  if (wide.first_ == wide.last_ && wide.last_->used == 0) wide.clear(pool);
  clear(pool);
  *this = wide;
  return last;
}

std::size_t BinWriter::bytes() const {
  std::size_t bytes = 0;
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) bytes += chunk->used;
  return bytes;
}

char* BinWriter::copy_to(char* to) const {
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next)
    to = std::copy_n(chunk->bytes, chunk->used, to);
  return to;
}

std::string BinList::varints() const {
  std::string data;
  std::uint32_t expected = 0;
  for_each([&](std::uint32_t index, const Bin& bin) {
    put_varint(data, index - expected);
    put_varint(data, static_cast<std::uint64_t>(bin.busy.fs()));
    put_varint(data, bin.bytes);
    put_varint(data, bin.queue);
    put_varint(data, static_cast<std::uint64_t>(bin.wait.fs()));
    expected = index + 1;
  });
  return data;
}

BinList BinStore::keep(const BinWriter& bins) {
  const std::size_t size = bins.bytes();
  if (size + PackedBin::kSlack > left_) {
    left_ = std::max(size + PackedBin::kSlack, kStoreBytes);
    chunks_.emplace_back(new char[left_]);  // not cleared, as make_unique does
    next_ = chunks_.back().get();
  }
  const char* const begin = std::exchange(next_, bins.copy_to(next_));
  left_ -= size;
  return BinList(std::string_view(begin, size));
}

BinList BinStore::widened(const BinList& list, int by) {
  BinWriter bins;
  list.for_each([&](std::uint32_t index, const Bin& bin) { bins.append(index, bin, pool_); });
  const IndexedBin last = bins.widen(by, pool_);
  if (!last.bin.is_empty()) bins.append(last.index, last.bin, pool_);
  const BinList kept = keep(bins);
  bins.clear(pool_);
  return kept;
}

}  // namespace kb::record
