#include "platform/waves/change_store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/signal_block.h"

namespace kb::waves {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;  // a megabyte, which a cache holds
constexpr int kDigitBits = 12;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

Error spill_error() {
  return Error::configuration(std::string("cannot keep waveform data in a temporary file: ") + std::strerror(errno) +
                              "; record fewer signals with --wave-filter, or a shorter time with --wave-from-ns and "
                              "--wave-until-ns, or free some disk space");
}

// The file may have a name for a moment.
std::FILE* open_spill() {
  const observe::SignalBlock block;
  return std::tmpfile();
}

}  // namespace

void ChangeStore::Merger::add(std::FILE* file) {
  std::rewind(file);
  sources_.emplace_back();
  sources_.back().file = file;
  enter(sources_.size() - 1);
}

void ChangeStore::Merger::add(const Change* begin, const Change* end) {
  sources_.emplace_back();
  sources_.back().next = begin;
  sources_.back().end = end;
  enter(sources_.size() - 1);
}

void ChangeStore::Merger::read_block(Source& source) {
  source.block.resize(4096);
  source.block.resize(std::fread(source.block.data(), sizeof(Change), source.block.size(), source.file));
  if (std::ferror(source.file) != 0) throw spill_error();
  source.next = source.block.data();
  source.end = source.next + source.block.size();
}

ChangeStore::ChangeStore(std::size_t buffered_changes)
    : chunk_size_(std::min(buffered_changes, kChunk)),
      most_chunks_(std::max<std::size_t>(buffered_changes / chunk_size_, 1)) {}

void ChangeStore::begin_chunk() {
  if (!chunks_.empty()) sort_chunk();
  if (chunks_.size() == most_chunks_) spill();
  chunks_.emplace_back(new Change[chunk_size_]);
  next_ = chunks_.back().get();
  end_ = next_ + chunk_size_;
}

// Digit by digit of the time from the lowest on, which keeps the order of equal times.
void ChangeStore::sort_chunk() {
  if (chunks_.empty()) return;
  Chunk& chunk = chunks_.back();
  const auto count = static_cast<std::size_t>(next_ - chunk.get());
  std::int64_t low = chunk[0].at, high = low;
  for (std::size_t i = 1; i < count; ++i) {
    low = std::min(low, chunk[i].at);
    high = std::max(high, chunk[i].at);
  }
  const auto range = static_cast<std::uint64_t>(high - low);
  if (scratch_ == nullptr) scratch_.reset(new Change[chunk_size_]);
  for (int shift = 0; shift < 64 && range >> shift != 0; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> places{};
    const auto digit = [low, shift](const Change& c) {
      return static_cast<std::uint64_t>(c.at - low) >> shift & (kDigits - 1);
    };
    const Change* const from = chunk.get();
    Change* const to = scratch_.get();
    for (std::size_t i = 0; i < count; ++i) ++places[digit(from[i])];
    std::uint32_t place = 0;
    for (std::uint32_t& p : places) place += std::exchange(p, place);
    for (std::size_t i = 0; i < count; ++i) to[places[digit(from[i])]++] = from[i];
    chunk.swap(scratch_);
  }
  next_ = chunk.get() + count;
  end_ = chunk.get() + chunk_size_;
}

// All chunks are full and sorted.
void ChangeStore::spill() {
  Spill file(open_spill());
  if (!file) throw spill_error();
  Merger merger;
  for (const Chunk& chunk : chunks_) merger.add(chunk.get(), chunk.get() + chunk_size_);
  bool written = true;
  merger.run([&](const Change& change) { return written = std::fwrite(&change, sizeof(change), 1, file.get()) == 1; });
  if (!written || std::fflush(file.get()) != 0) throw spill_error();
  spills_.push_back(std::move(file));
  chunks_.clear();
}

void ChangeStore::begin_drain(Merger& merger) {
  sort_chunk();
  for (const Spill& spill : spills_) merger.add(spill.get());
  for (const Chunk& chunk : chunks_) {
    merger.add(chunk.get(), &chunk == &chunks_.back() ? next_ : chunk.get() + chunk_size_);
  }
}

}  // namespace kb::waves
