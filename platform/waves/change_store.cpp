#include "platform/waves/change_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/signal_block.h"

namespace kb::waves {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;  // one megabyte, which fits a cache

Error spill_error() {
  return Error::configuration(std::string("cannot keep waveform data in a temporary file: ") + std::strerror(errno) +
                              "; record fewer signals with --wave-filter, or a shorter time with --wave-from-ns and "
                              "--wave-until-ns, or free some disk space");
}

// The file may have a name for a short time.
std::FILE* open_spill() {
  const observe::SignalBlock block;
  return std::tmpfile();
}

}  // namespace

ChangeStore::ChangeStore(std::size_t buffered_changes)
    : chunk_size_(std::min(buffered_changes, kChunk)),
      most_chunks_(std::max<std::size_t>(buffered_changes / chunk_size_, 1)) {}

void ChangeStore::begin_chunk() {
  close();
  if (in_memory_ >= most_chunks_) {
    for (Chunk& chunk : chunks_) {
      if (chunk.changes != nullptr) spill(chunk);
    }
  }
  Chunk& chunk = chunks_.emplace_back();
  if (spare_.empty()) {
    chunk.changes.reset(new Change[chunk_size_]);
  } else {
    chunk.changes = std::move(spare_.back());
    spare_.pop_back();
  }
  ++in_memory_;
  begin_ = next_ = chunk.changes.get();
  end_ = begin_ + chunk_size_;
}

void ChangeStore::close() {
  if (begin_ == nullptr) return;
  Chunk& chunk = chunks_.back();
  const std::size_t before = std::exchange(chunk.count, static_cast<std::size_t>(next_ - begin_));
  for (std::size_t i = before; i < chunk.count; ++i) chunk.low = std::min(chunk.low, begin_[i].at);
  closed_ += chunk.count;
  begin_ = next_ = end_ = nullptr;
}

void ChangeStore::reopen() {
  if (chunks_.empty() || chunks_.back().changes == nullptr) return;
  const Chunk& chunk = chunks_.back();
  closed_ -= chunk.count;
  begin_ = chunk.changes.get();
  next_ = begin_ + chunk.count;
  end_ = begin_ + chunk_size_;
}

void ChangeStore::spill(Chunk& chunk) {
  if (file_ == nullptr) file_.reset(open_spill());
  if (file_ == nullptr || std::fseek(file_.get(), 0, SEEK_END) != 0) throw spill_error();
  chunk.place = std::ftell(file_.get());
  if (std::fwrite(chunk.changes.get(), sizeof(Change), chunk.count, file_.get()) != chunk.count) throw spill_error();
  if (std::fflush(file_.get()) != 0) throw spill_error();
  spare_.push_back(std::move(chunk.changes));
  --in_memory_;
  ++in_file_;
}

const Change* ChangeStore::load(const Chunk& chunk) {
  if (chunk.changes != nullptr) return chunk.changes.get();
  loaded_.resize(chunk.count);
  if (std::fseek(file_.get(), chunk.place, SEEK_SET) != 0 ||
      std::fread(loaded_.data(), sizeof(Change), chunk.count, file_.get()) != chunk.count) {
    throw spill_error();
  }
  return loaded_.data();
}

void ChangeStore::recycle(Chunk& chunk) {
  if (chunk.changes != nullptr) {
    --in_memory_;
    spare_.push_back(std::move(chunk.changes));
  } else if (--in_file_ == 0) {
    file_.reset();
  }
}

}  // namespace kb::waves
