// The operations of one component over time, at all levels of detail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kb::analysis {

struct TrackOp {
  std::int64_t start_fs = 0;
  std::int64_t end_fs = 0;
  std::uint32_t sequence = 0;
  std::uint16_t operation = 0;  // index of the kind of operation
};

// Summary of a time interval.
struct Bucket {
  std::int64_t busy_fs = 0;          // time in which at least one operation is in progress
  std::uint32_t count = 0;           // operations that begin in it
  std::uint16_t dominant = kNobody;  // operation kind with the largest total time (the lower index of equal ones)

  static constexpr std::uint16_t kNobody = 0xffff;
  friend bool operator==(const Bucket& a, const Bucket& b) {
    return a.busy_fs == b.busy_fs && a.count == b.count && a.dominant == b.dominant;
  }
};

// Buckets of level k are 4^k fs wide and begin at time 0, so that those of all tracks are aligned. A track stores the
// non-empty buckets of its base level (the finest level with at most one bucket per two operations) and of all coarser
// ones, up to a single bucket. Finer levels are computed from the operations on request.
class Track {
 public:
  static constexpr std::int64_t kTimeLimit = std::int64_t{1} << 62;  // all times are in [0, kTimeLimit)
  static constexpr int kLevels = 32;                                 // one bucket of the last level covers all times
  static constexpr std::int64_t width_fs(int level) { return std::int64_t{1} << (2 * level); }
  // The coarsest level whose buckets are at most one pixel wide.
  static int level_for(std::int64_t span_fs, std::int64_t pixels);

  void add(const TrackOp& op) { ops_.push_back(op); }
  // Sorts the operations and builds the levels; must be called once, after the last add().
  void finish();

  // Calls take(i, bucket) for each non-empty bucket first + i of [first, first + count), in order.
  template <typename Take>
  void for_each(int level, std::int64_t first, std::size_t count, Take take) const;
  // All buckets of [first, first + count), including empty ones.
  std::vector<Bucket> query(int level, std::int64_t first, std::size_t count) const;
  // Operations in progress in [t0, t1), including zero-length ones, in the order of starts; at most `limit`.
  std::vector<TrackOp> ops_in(std::int64_t t0, std::int64_t t1, std::size_t limit) const;

  std::size_t size() const { return ops_.size(); }
  std::int64_t begin_fs() const { return ops_.front().start_fs; }  // requires at least one operation
  std::int64_t end_fs() const { return reach_.back(); }
  std::size_t base_buckets() const { return levels_.empty() ? 0 : levels_.front().size(); }
  int base_level() const { return base_level_; }  // kLevels when there is none
  std::size_t bytes() const;                      // memory size

 private:
  struct Stored {
    std::int64_t index = 0;
    Bucket bucket;
  };
  using Visit = std::function<void(std::int64_t index, std::int64_t count, const Bucket&)>;
  template <typename Take>
  void visit(int level, std::int64_t first, std::int64_t last, const Take& take) const;
  void sweep(int level, std::int64_t first, std::int64_t last, const Visit& take) const;
  static constexpr std::int64_t last_index(int level) { return (kTimeLimit >> (2 * level)) - 1; }
  std::size_t covered(int level, std::size_t most) const;
  std::size_t first_reaching(std::int64_t time) const;

  std::vector<TrackOp> ops_;                 // sorted by start, then sequence
  std::vector<std::int64_t> reach_;          // latest end of the operations up to each block
  std::vector<std::vector<Stored>> levels_;  // beginning with base_level_
  int base_level_ = kLevels;
};

template <typename Take>
void Track::visit(int level, std::int64_t first, std::int64_t last, const Take& take) const {
  if (level < base_level_) return sweep(level, first, last, take);
  const std::size_t kept = std::min(static_cast<std::size_t>(level - base_level_), levels_.size() - 1);
  const int shift = 2 * (level - base_level_ - static_cast<int>(kept));  // above the last level: its only bucket
  const std::vector<Stored>& stored = levels_[kept];
  auto at = std::lower_bound(stored.begin(), stored.end(), first,
                             [&](const Stored& s, std::int64_t index) { return (s.index >> shift) < index; });
  for (; at != stored.end() && (at->index >> shift) <= last; ++at) take(at->index >> shift, 1, at->bucket);
}

template <typename Take>
void Track::for_each(int level, std::int64_t first, std::size_t count, Take take) const {
  if (count == 0 || first < 0 || first > last_index(level)) return;
  const auto more = static_cast<std::int64_t>(count) - 1;
  const std::int64_t last = more > last_index(level) - first ? last_index(level) : first + more;
  visit(level, first, last, [&](std::int64_t index, std::int64_t equal, const Bucket& bucket) {
    for (std::int64_t i = index; i < index + equal; ++i) take(static_cast<std::size_t>(i - first), bucket);
  });
}

}  // namespace kb::analysis
