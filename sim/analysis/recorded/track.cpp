#include "sim/analysis/recorded/track.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace kb::analysis {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kOpsPerBucket = 2;

// An operation without duration belongs to the bucket of its start.
std::int64_t last_bucket(const TrackOp& op, int level) {
  return (op.end_fs > op.start_fs ? op.end_fs - 1 : op.start_fs) >> (2 * level);
}

// Time per kind of operation in one bucket.
class Weights {
 public:
  void add(std::uint16_t operation, std::int64_t time) {
    if (operation >= times_.size()) times_.resize(operation + std::size_t{1}, -1);
    std::int64_t& sum = times_[operation];
    if (sum < 0) {
      sum = 0;
      touched_.push_back(operation);
    }
    sum += time;
  }
  std::uint16_t take_largest() {
    std::uint16_t best = Bucket::kNobody;
    for (const std::uint16_t operation : touched_) {
      const bool better = best == Bucket::kNobody || times_[operation] > times_[best] ||
                          (times_[operation] == times_[best] && operation < best);
      if (better) best = operation;
    }
    for (const std::uint16_t operation : touched_) times_[operation] = -1;
    touched_.clear();
    return best;
  }

 private:
  std::vector<std::int64_t> times_;  // -1: none in this bucket
  std::vector<std::uint16_t> touched_;
};

// The operations that continue beyond the current bucket.
class Open {
 public:
  void add(std::int64_t end, std::uint16_t operation) {
    ends_.emplace(end, operation);
    if (operation >= count_.size()) count_.resize(operation + std::size_t{1});
    if (count_[operation]++ == 0) kinds_.push_back(operation);
  }
  bool empty() const { return ends_.empty(); }
  std::int64_t first_end() const { return ends_.top().first; }  // valid when not empty
  // Adds their time in the bucket [begin, end), and removes those that end in it.
  void weigh(std::int64_t begin, std::int64_t end, Weights& weights) {
    while (!ends_.empty() && ends_.top().first <= end) {
      const auto [time, operation] = ends_.top();
      ends_.pop();
      weights.add(operation, time - begin);
      --count_[operation];
    }
    for (std::size_t i = 0; i < kinds_.size();) {
      const std::uint16_t operation = kinds_[i];
      if (count_[operation] == 0) {
        kinds_[i] = kinds_.back();
        kinds_.pop_back();
        continue;
      }
      weights.add(operation, static_cast<std::int64_t>(count_[operation]) * (end - begin));
      ++i;
    }
  }

 private:
  using End = std::pair<std::int64_t, std::uint16_t>;
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends_;
  std::vector<std::uint32_t> count_;  // by operation
  std::vector<std::uint16_t> kinds_;  // those with a count, and some whose count is 0 again
};

}  // namespace

int Track::level_for(std::int64_t span_fs, std::int64_t pixels) {
  const std::int64_t pixel = std::max<std::int64_t>(1, span_fs / std::max<std::int64_t>(1, pixels));
  int level = 0;
  while (level + 1 < kLevels && width_fs(level + 1) <= pixel) ++level;
  return level;
}

void Track::finish() {
  const auto earlier = [](const TrackOp& a, const TrackOp& b) {
    return a.start_fs != b.start_fs ? a.start_fs < b.start_fs : a.sequence < b.sequence;
  };
  if (!std::is_sorted(ops_.begin(), ops_.end(), earlier)) std::sort(ops_.begin(), ops_.end(), earlier);
  ops_.shrink_to_fit();
  std::int64_t reach = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    reach = std::max(reach, ops_[i].end_fs);
    if (i % kBlock == kBlock - 1 || i + 1 == ops_.size()) reach_.push_back(reach);
  }

  const std::size_t most = ops_.size() / kOpsPerBucket;
  if (most == 0) return;
  int low = 0, high = kLevels;  // the first level that fits is in [low, high]
  while (low < high) {
    const int middle = (low + high) / 2;
    covered(middle, most) <= most ? high = middle : low = middle + 1;
  }
  base_level_ = low;
  for (int level = base_level_; level < kLevels; ++level) {
    std::vector<Stored> buckets;
    buckets.reserve(covered(level, most));
    sweep(level, 0, last_index(level), [&](std::int64_t index, std::int64_t count, const Bucket& bucket) {
      for (std::int64_t i = 0; i < count; ++i) buckets.push_back({index + i, bucket});
    });
    levels_.push_back(std::move(buckets));
    if (levels_.back().size() <= 1) break;
  }
}

// Returns the number of buckets that are not empty; stops counting beyond `most`.
std::size_t Track::covered(int level, std::size_t most) const {
  std::int64_t last = -1;
  std::size_t count = 0;
  for (const TrackOp& op : ops_) {
    const std::int64_t to = last_bucket(op, level);
    if (to <= last) continue;
    count += static_cast<std::size_t>(to - std::max(last, (op.start_fs >> (2 * level)) - 1));
    last = to;
    if (count > most) break;
  }
  return count;
}

// Returns the index of the first operation from which on operations may end after `time`.
std::size_t Track::first_reaching(std::int64_t time) const {
  const auto block = std::upper_bound(reach_.begin(), reach_.end(), time);
  return std::min(static_cast<std::size_t>(block - reach_.begin()) * kBlock, ops_.size());
}

// Calls take(index, n, bucket) for all buckets in [first, last] that are not empty, in order: n equal ones from index
// on.
void Track::sweep(int level, std::int64_t first, std::int64_t last, const Visit& take) const {
  const int shift = 2 * level;
  const std::int64_t begin = first << shift;
  Weights weights;
  Open open;
  std::int64_t reach = begin;  // busy time is counted up to here
  std::size_t next = first_reaching(begin - 1);
  for (; next < ops_.size() && ops_[next].start_fs < begin; ++next) {
    if (ops_[next].end_fs <= begin) continue;
    open.add(ops_[next].end_fs, ops_[next].operation);
    reach = std::max(reach, ops_[next].end_fs);
  }
  for (std::int64_t index = first; index <= last; ++index) {
    if (open.empty()) {
      if (next == ops_.size()) return;
      index = std::max(index, ops_[next].start_fs >> shift);
      if (index > last) return;
    }
    const std::int64_t from = index << shift;
    const std::int64_t to = from + width_fs(level);
    Bucket bucket;
    if (!open.empty()) {
      // All buckets are equal in a range in which no operation begins or ends.
      std::int64_t end = std::min(last + 1, (open.first_end() - 1) >> shift);
      if (next < ops_.size()) end = std::min(end, ops_[next].start_fs >> shift);
      if (end > index) {
        open.weigh(from, to, weights);
        bucket.busy_fs = width_fs(level);
        bucket.dominant = weights.take_largest();
        take(index, end - index, bucket);
        index = end - 1;
        continue;
      }
    }
    bucket.busy_fs = std::clamp<std::int64_t>(reach - from, 0, width_fs(level));
    open.weigh(from, to, weights);
    for (; next < ops_.size() && ops_[next].start_fs < to; ++next) {
      const TrackOp& op = ops_[next];
      ++bucket.count;
      weights.add(op.operation, std::min(op.end_fs, to) - op.start_fs);
      if (op.end_fs > to) open.add(op.end_fs, op.operation);
      if (op.end_fs <= reach) continue;
      bucket.busy_fs += std::max<std::int64_t>(0, std::min(op.end_fs, to) - std::max(op.start_fs, reach));
      reach = op.end_fs;
    }
    bucket.dominant = weights.take_largest();
    take(index, 1, bucket);
  }
}

std::vector<Bucket> Track::query(int level, std::int64_t first, std::size_t count) const {
  std::vector<Bucket> buckets(count);
  for_each(level, first, count, [&](std::size_t i, const Bucket& bucket) { buckets[i] = bucket; });
  return buckets;
}

std::vector<TrackOp> Track::ops_in(std::int64_t t0, std::int64_t t1, std::size_t limit) const {
  std::vector<TrackOp> found;
  for (std::size_t i = first_reaching(t0 - 1); i < ops_.size() && ops_[i].start_fs < t1; ++i) {
    if (found.size() == limit) break;
    if (ops_[i].end_fs > t0 || ops_[i].start_fs >= t0) found.push_back(ops_[i]);
  }
  return found;
}

std::size_t Track::bytes() const {
  std::size_t sum = ops_.capacity() * sizeof(TrackOp) + reach_.capacity() * sizeof(std::int64_t);
  for (const std::vector<Stored>& level : levels_) sum += level.capacity() * sizeof(Stored);
  return sum;
}

}  // namespace kb::analysis
