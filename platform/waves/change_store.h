// Changes of waveform signals, put in the order of their times.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/base/units.h"

namespace kb::waves {

// Takes changes in any order, in chunks that are sorted when they are full. Memory stays bounded: the chunks are merged
// and put aside on disk when they are many.
class ChangeStore {
 public:
  explicit ChangeStore(std::size_t buffered_changes);

  // `signal` is below 2^31.
  void add(TimeFs at, std::uint32_t signal, std::uint64_t value) {
    if (value >> 32 != 0) append({at.fs(), signal | kUpperHalf, static_cast<std::uint32_t>(value >> 32)});
    append({at.fs(), signal, static_cast<std::uint32_t>(value)});
  }

  // Calls f(time, signal, value) for all changes by time, those of one time in the order of add(), until it returns
  // false; once.
  template <typename F>
  void drain(F&& f);

 private:
  static constexpr std::uint32_t kUpperHalf = 0x80000000u;  // of a value; the lower one comes next for the signal

  struct Change {
    std::int64_t at;
    std::uint32_t signal;
    std::uint32_t value;
  };
  using Chunk = std::unique_ptr<Change[]>;
  struct FileCloser {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  using Spill = std::unique_ptr<std::FILE, FileCloser>;
  // Reads sorted files and chunks as one sequence. Earlier ones come first at equal times.
  class Merger {
   public:
    void add(std::FILE* file);
    void add(const Change* begin, const Change* end);
    // Calls f(change) until it returns false. Most changes of a chunk are followed by others of the same one.
    template <typename F>
    void run(F&& f);

   private:
    using Head = std::pair<std::int64_t, std::size_t>;  // time and number of a source
    struct Source {
      std::FILE* file = nullptr;  // null: all of it is in memory
      std::vector<Change> block;
      const Change* next = nullptr;
      const Change* end = nullptr;
    };

    void enter(std::size_t index) {
      if (has_next(sources_[index])) heads_.push({sources_[index].next->at, index});
    }
    static bool has_next(Source& source) {
      if (source.next == source.end && source.file != nullptr) read_block(source);
      return source.next != source.end;
    }
    static void read_block(Source& source);

    std::vector<Source> sources_;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
  };

  void append(const Change& change) {
    if (next_ == end_) begin_chunk();
    *next_++ = change;
  }
  void begin_chunk();
  void sort_chunk();
  void spill();
  void begin_drain(Merger& merger);

  std::size_t chunk_size_, most_chunks_;
  std::vector<Chunk> chunks_;  // sorted but for the last one
  Chunk scratch_;
  Change* next_ = nullptr;  // in the last chunk
  Change* end_ = nullptr;
  std::vector<Spill> spills_;
};

template <typename F>
void ChangeStore::Merger::run(F&& f) {
  while (!heads_.empty()) {
    const std::size_t index = heads_.top().second;
    heads_.pop();
    const Head limit = heads_.empty() ? Head{std::numeric_limits<std::int64_t>::max(), sources_.size()} : heads_.top();
    Source& source = sources_[index];
    do {
      if (!f(*source.next)) return;
      ++source.next;
    } while (has_next(source) && Head{source.next->at, index} < limit);
    enter(index);
  }
}

template <typename F>
void ChangeStore::drain(F&& f) {
  Merger merger;
  begin_drain(merger);
  std::unordered_map<std::uint32_t, std::uint64_t> upper;  // halves by signal
  merger.run([&](const Change& change) {
    if ((change.signal & kUpperHalf) != 0) {
      upper[change.signal & ~kUpperHalf] = std::uint64_t{change.value} << 32;
      return true;
    }
    std::uint64_t value = change.value;
    if (!upper.empty()) {
      if (const auto found = upper.find(change.signal); found != upper.end()) {
        value |= found->second;
        upper.erase(found);
      }
    }
    return f(TimeFs(change.at), change.signal, value);
  });
}

}  // namespace kb::waves
