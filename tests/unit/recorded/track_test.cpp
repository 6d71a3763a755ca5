// Levels of detail of a track against a count by brute force.
#include "sim/analysis/recorded/track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace kb::analysis {
namespace {

using Ops = std::vector<TrackOp>;

class Oracle {
 public:
  explicit Oracle(Ops ops) : ops_(std::move(ops)) {}

  Bucket bucket(std::int64_t from, std::int64_t to) const {
    Bucket result;
    std::map<std::uint16_t, std::int64_t> times;
    std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
    for (const TrackOp& op : ops_) {
      const bool begins = op.start_fs >= from && op.start_fs < to;
      result.count += begins ? 1 : 0;
      const std::int64_t a = std::max(op.start_fs, from), b = std::min(op.end_fs, to);
      if (b > a) pieces.emplace_back(a, b);
      if (b > a || begins) times[op.operation] += std::max<std::int64_t>(0, b - a);
    }
    std::sort(pieces.begin(), pieces.end());
    std::int64_t reach = from;
    for (const auto& [a, b] : pieces) {
      result.busy_fs += std::max<std::int64_t>(0, b - std::max(a, reach));
      reach = std::max(reach, b);
    }
    std::int64_t best = -1;
    for (const auto& [operation, time] : times) {
      if (time > best) result.dominant = operation;
      best = std::max(best, time);
    }
    return result;
  }

 private:
  Ops ops_;
};

// Bursts and gaps, short and long, overlapping and apart, some without duration.
Ops random_ops(std::mt19937_64& random, std::size_t count) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Ops ops;
  std::int64_t now = below(1000);
  for (std::size_t i = 0; i < count; ++i) {
    now += below(8) == 0 ? below(5000) : below(40);
    const std::int64_t time = below(10) == 0 ? 0 : (below(12) == 0 ? below(3000) : below(60));
    ops.push_back({now, now + time, static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(below(5))});
  }
  std::shuffle(ops.begin(), ops.end(), random);
  return ops;
}

Track track_of(const Ops& ops) {
  Track track;
  for (const TrackOp& op : ops) track.add(op);
  track.finish();
  return track;
}

std::int64_t end_of(const Ops& ops) {
  std::int64_t end = 0;
  for (const TrackOp& op : ops) end = std::max(end, op.end_fs);
  return end;
}

TEST(Track, EveryBucketOfEveryLevelEqualsTheOracle) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const Ops ops = random_ops(random, 1 + random() % 120);
    const Track track = track_of(ops);
    const Oracle oracle(ops);
    const std::int64_t end = end_of(ops);
    for (int level = 2; level < 12; ++level) {
      const std::int64_t width = Track::width_fs(level), all = end / width + 2;
      const std::int64_t first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all));
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(all - first, 300));
      const std::vector<Bucket> found = track.query(level, first, count);
      ASSERT_EQ(found.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t from = (first + static_cast<std::int64_t>(i)) * width;
        ASSERT_EQ(found[i], oracle.bucket(from, from + width))
            << "round " << round << ", level " << level << " of base " << track.base_level() << ", bucket "
            << first + i;
      }
    }
  }
}

TEST(Track, BusyTimeAndCountsAreKeptAtEveryZoom) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    const Ops ops = random_ops(random, 400);
    const Track track = track_of(ops);
    const Bucket whole = Oracle(ops).bucket(0, end_of(ops) + 1);
    for (int level = 3; level < Track::kLevels; ++level) {
      Bucket sum;
      for (const Bucket& bucket :
           track.query(level, 0, static_cast<std::size_t>(end_of(ops) / Track::width_fs(level)) + 1)) {
        sum.busy_fs += bucket.busy_fs;
        sum.count += bucket.count;
        EXPECT_LE(bucket.busy_fs, Track::width_fs(level));
      }
      EXPECT_EQ(sum.busy_fs, whole.busy_fs) << "level " << level;
      EXPECT_EQ(sum.count, ops.size()) << "level " << level;
    }
  }
}

TEST(Track, KeepsAtMostOneBucketForTwoOperations) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {0u, 1u, 2u, 3u, 5u, 100u, 5000u}) {
    const Track track = track_of(random_ops(random, size));
    EXPECT_LE(track.base_buckets(), size / 2);
    EXPECT_EQ(track.base_level() == Track::kLevels, size < 2);
    if (size > 100) {
      EXPECT_LE(track.bytes(), size * 60);
    }
  }
}

TEST(Track, WhatLiesBeyondTimeIsEmpty) {
  const Track track = track_of({{0, 5, 0, 0}});
  EXPECT_EQ(track.query(31, 1, 3)[0], Bucket{});
  EXPECT_EQ(track.query(0, INT64_MAX - 1, 4)[3], Bucket{});
  EXPECT_EQ(track.query(0, -1, 1)[0], Bucket{});
}

TEST(Track, AnEmptyTrackHasEmptyBuckets) {
  const Track track = track_of({});
  for (const Bucket& bucket : track.query(5, 0, 10)) EXPECT_EQ(bucket, Bucket{});
  EXPECT_TRUE(track.ops_in(0, 1000, 10).empty());
}

TEST(Track, LevelIsTheCoarsestThatIsFinerThanAPixel) {
  EXPECT_EQ(Track::level_for(1000, 1000), 0);
  EXPECT_EQ(Track::level_for(3999, 1000), 0);
  EXPECT_EQ(Track::level_for(4000, 1000), 1);
  EXPECT_EQ(Track::level_for(15'999, 1000), 1);
  EXPECT_EQ(Track::level_for(16'000, 1000), 2);
  EXPECT_EQ(Track::level_for(0, 0), 0);
  EXPECT_EQ(Track::level_for(INT64_MAX, 1), 31);
}

TEST(Track, FindsTheOperationsOfAWindow) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    Ops ops = random_ops(random, 300);
    const Track track = track_of(ops);
    std::sort(ops.begin(), ops.end(), [](const TrackOp& a, const TrackOp& b) {
      return a.start_fs != b.start_fs ? a.start_fs < b.start_fs : a.sequence < b.sequence;
    });
    const std::int64_t t0 = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end_of(ops) + 1));
    const std::int64_t t1 = t0 + 1 + static_cast<std::int64_t>(random() % 9000);
    std::vector<std::uint32_t> expected, found;
    for (const TrackOp& op : ops) {
      if (op.start_fs < t1 && (op.end_fs > t0 || op.start_fs >= t0)) expected.push_back(op.sequence);
    }
    for (const TrackOp& op : track.ops_in(t0, t1, 1000)) found.push_back(op.sequence);
    EXPECT_EQ(found, expected);
    EXPECT_LE(track.ops_in(t0, t1, 7).size(), 7u);
  }
}

TEST(Track, LongOverlapsCostNoMoreThanTheirBuckets) {
  Ops ops;
  for (std::uint32_t i = 0; i < 20'000; ++i) ops.push_back({i, 1'000'000'000, i, static_cast<std::uint16_t>(i % 3)});
  const Track track = track_of(ops);
  const std::vector<Bucket> found = track.query(track.base_level(), 0, 4);
  EXPECT_EQ(found[1].busy_fs, Track::width_fs(track.base_level()));
}

TEST(Track, TimesUpToTheLimitOfIntegers) {
  const std::int64_t late = 4'600'000'000'000'000'000;
  const Track track =
      track_of({{late - 9, late, 0, 1}, {late - 7, late - 2, 1, 2}, {1, 2, 2, 3}, {3, 9, 3, 3}, {9, 9, 4, 3}});
  for (int level = 25; level < Track::kLevels; ++level) {
    const std::int64_t last = late >> (2 * level);
    EXPECT_EQ(track.query(level, last, 1)[0].busy_fs, last == 0 ? 16 : 9) << level;
  }
}

}  // namespace
}  // namespace kb::analysis
