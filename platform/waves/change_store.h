// Stores changes of waveform signals until their times have passed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

#include "platform/base/units.h"

namespace kb::waves {

// A reported change. A value of more than 32 bits takes two consecutive changes, the upper half first.
struct Change {
  static constexpr std::uint32_t kUpperHalf = 0x80000000u;  // flag of `signal`

  std::int64_t at;
  std::uint32_t signal;
  std::uint32_t value;
};

// Takes changes in any order and returns them by time; changes of one signal at one time keep the order of add().
// Memory is bounded: when there are many changes, chunks of them are moved to a temporary file.
class ChangeStore {
 public:
  explicit ChangeStore(std::size_t buffered_changes);

  // `signal` is below 2^31.
  void add(TimeFs at, std::uint32_t signal, std::uint64_t value) {
    if (value >> 32 != 0) append({at.fs(), signal | Change::kUpperHalf, static_cast<std::uint32_t>(value >> 32)});
    append({at.fs(), signal, static_cast<std::uint32_t>(value)});
  }
  std::size_t size() const { return closed_ + static_cast<std::size_t>(next_ - begin_); }

  // Calls f(change) for all changes before `until`.
  template <typename F>
  void each(TimeFs until, F&& f);
  // Like each(), and removes the changes.
  template <typename F>
  void take(TimeFs until, F&& f);

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Chunk {
    std::unique_ptr<Change[]> changes;  // null: in the file
    std::size_t count = 0;
    long place = 0;                                               // position in the file
    std::int64_t low = std::numeric_limits<std::int64_t>::max();  // earliest time
  };

  void append(const Change& change) {
    if (next_ == end_) begin_chunk();
    *next_++ = change;
  }
  void begin_chunk();
  // Moves the open chunk to the closed ones.
  void close();
  void reopen();
  void spill(Chunk& chunk);
  const Change* load(const Chunk& chunk);
  void recycle(Chunk& chunk);

  std::size_t chunk_size_, most_chunks_;
  std::vector<Chunk> chunks_;  // the last one is open while begin_ is not null
  std::size_t closed_ = 0;     // number of changes in closed chunks
  std::size_t in_memory_ = 0;  // chunks
  std::vector<std::unique_ptr<Change[]>> spare_;
  Change* begin_ = nullptr;  // begin of the open chunk
  Change* next_ = nullptr;
  Change* end_ = nullptr;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::size_t in_file_ = 0;  // number of chunks in the file
  std::vector<Change> loaded_;
};

template <typename F>
void ChangeStore::each(TimeFs until, F&& f) {
  close();
  for (const Chunk& chunk : chunks_) {
    if (chunk.low >= until.fs()) continue;
    const Change* const changes = load(chunk);
    for (std::size_t i = 0; i < chunk.count; ++i) {
      if (changes[i].at < until.fs()) f(changes[i]);
    }
  }
  reopen();
}

template <typename F>
void ChangeStore::take(TimeFs until, F&& f) {
  close();
  std::vector<Chunk> all;
  all.swap(chunks_);
  closed_ = 0;
  for (Chunk& chunk : all) {
    if (chunk.low >= until.fs() && (chunk.changes == nullptr || chunk.count > chunk_size_ / 2)) {
      close();
      closed_ += chunk.count;
      chunks_.push_back(std::move(chunk));
      continue;
    }
    const Change* const changes = load(chunk);
    for (std::size_t i = 0; i < chunk.count; ++i) {
      if (changes[i].at < until.fs()) {
        f(changes[i]);
      } else {
        append(changes[i]);
      }
    }
    recycle(chunk);
  }
}

}  // namespace kb::waves
