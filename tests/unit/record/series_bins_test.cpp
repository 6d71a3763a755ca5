// Bins of series against sums that are taken usage by usage.
#include "platform/record/series_bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "platform/record/usage_log.h"

namespace kb::record {
namespace {

TimeFs overlap(const Usage& usage, TimeFs begin, TimeFs end) {
  return std::max(0_fs, std::min(usage.end, end) - std::max(usage.begin, begin));
}

Usage dense(TimeFs begin, TimeFs end, std::uint64_t bytes = 0) {
  return {begin, end, end - begin, 0_fs, bytes, 0};
}

struct Epoch {
  TimeFs begin, end;
  int shift = 0;
  BinList bins;
};

// Usages of one resource in the order of time, with gaps and without; epochs that end anywhere.
struct History {
  std::vector<Usage> usages;
  std::vector<Epoch> epochs;
  std::unique_ptr<UsageLog> log;  // has the bytes of the bins
};

History random_history(std::mt19937_64& random, std::uint32_t bins, bool all_dense) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  History history;
  history.log = std::make_unique<UsageLog>(std::size_t{1} << below(6));
  SeriesGroup group{*history.log, EpochList(bins), {}};
  EpochList& list = group.epochs;
  ActivitySeries series(group);
  const std::int64_t scale = std::int64_t{1} << (10 + below(22));
  TimeFs at = 0_fs, next_end = TimeFs(1 + below(40 * scale));
  for (int i = 0; i < 300; ++i) {
    if (below(3) > 0) at += TimeFs(below(scale));
    // Some epochs are told to have ended long before what lies in them is.
    while (next_end <= at + TimeFs(below(3) * 100 * scale)) {
      list.divide(next_end);
      next_end += TimeFs(1 + below(60 * scale));
    }
    Usage usage = dense(at, at + TimeFs(1 + below(4 * scale)), static_cast<std::uint64_t>(below(1000)));
    usage.wait = TimeFs(below(scale));
    usage.queue = static_cast<std::uint64_t>(below(9));
    if (!all_dense && below(2) == 0) usage.busy = TimeFs(below(usage.busy.fs() + 1));
    series.add(usage);
    history.usages.push_back(usage);
    at = usage.end;
  }
  std::vector<TimeFs> ends = list.ends();
  ends.push_back(kNever);
  for (std::size_t i = 0; i < ends.size(); ++i) history.epochs.push_back({i == 0 ? 0_fs : ends[i - 1], ends[i], 0, {}});
  history.log->finish();
  for (std::size_t i = 0; i < group.activities.size(); ++i) {
    for (const Activity& part : group.activities[i]) {
      history.epochs[i].shift = part.shift;
      history.epochs[i].bins = part.bins;
    }
  }
  return history;
}

TEST(SeriesBins, BinsOfDenseUsesAreTheirOverlap) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t most = 16u << (round % 4);
    const History history = random_history(random, most, true);
    for (const Epoch& epoch : history.epochs) {
      std::map<std::uint32_t, TimeFs> expected;
      const std::int64_t width = std::int64_t{1} << epoch.shift;
      std::int64_t last_bin = 0;
      for (const Usage& usage : history.usages) {
        const Usage part{std::max(usage.begin, epoch.begin), std::min(usage.end, epoch.end)};
        if (part.end <= part.begin) continue;
        const std::int64_t first = (part.begin - epoch.begin).fs() / width;
        const std::int64_t last = (part.end - 1_fs - epoch.begin).fs() / width;
        last_bin = last;
        for (std::int64_t bin = first; bin <= last; ++bin) {
          const TimeFs from = epoch.begin + TimeFs(bin * width);
          const TimeFs busy = overlap(part, from, from + TimeFs(width));
          if (busy > 0_fs) expected[static_cast<std::uint32_t>(bin)] += busy;
        }
      }
      std::map<std::uint32_t, TimeFs> found;
      epoch.bins.for_each([&](std::uint32_t bin, const Bin& what) {
        EXPECT_LT(bin, most);
        if (what.busy > 0_fs) found[bin] = what.busy;
      });
      ASSERT_EQ(found, expected) << "round " << round;
      if (epoch.shift > EpochList::kFirstShift) {
        EXPECT_GE(last_bin, most / 2) << "wider than needed";
      }
    }
  }
}

TEST(SeriesBins, NothingIsLostOrCountedTwice) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    const History history = random_history(random, 16, false);
    Bin expected, found;
    for (const Usage& usage : history.usages) expected.add(usage);
    for (const Epoch& epoch : history.epochs)
      epoch.bins.for_each([&](std::uint32_t, const Bin& bin) { found.add(bin); });
    EXPECT_EQ(found.busy, expected.busy);
    EXPECT_EQ(found.wait, expected.wait);
    EXPECT_EQ(found.bytes, expected.bytes);
    EXPECT_EQ(found.queue, expected.queue);
  }
}

// Busy times by bin of an epoch that dense uses have, at 2^shift fs a bin.
std::map<std::uint32_t, TimeFs> overlaps(const std::vector<Usage>& usages, TimeFs begin, TimeFs end, int shift) {
  std::map<std::uint32_t, TimeFs> bins;
  for (const Usage& usage : usages) {
    for (TimeFs at = std::max(usage.begin, begin); at < std::min(usage.end, end);) {
      const std::int64_t bin = (at - begin).fs() >> shift;
      const TimeFs next = std::min({usage.end, end, begin + TimeFs((bin + 1) << shift)});
      bins[static_cast<std::uint32_t>(bin)] += next - at;
      at = next;
    }
  }
  return bins;
}

// Some epochs are known before, others are told while uses of both sides are in the log, or in bins.
TEST(SeriesBins, SeriesOfOneLogDoNotMix) {
  std::mt19937_64 random(9);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t most = 16u << (round % 3);
    const bool early = round % 2 == 0;
    UsageLog log(std::size_t{1} << below(6));
    SeriesGroup group{log, EpochList(most), {}};
    const std::int64_t scale = std::int64_t{1} << (10 + below(24));
    TimeFs end = 0_fs;
    for (int i = 0; early && i < 5; ++i) group.epochs.divide(end += TimeFs(1 + below(99 * scale)));
    std::deque<ActivitySeries> series;
    std::vector<Usage> usages[3];
    TimeFs at[3] = {0_fs, 0_fs, 0_fs};
    for (int i = 0; i < 3; ++i) series.emplace_back(group);
    for (int i = 0; i < 400; ++i) {
      const auto which = static_cast<std::size_t>(below(3));
      at[which] += TimeFs(below(scale));
      const TimeFs begin = at[which];
      at[which] += TimeFs(1 + below(4 * scale));
      usages[which].push_back(dense(begin, at[which]));
      series[which].add(usages[which].back());
      if (!early && below(60) == 0) group.epochs.divide(end += TimeFs(1 + below(99 * scale)));
    }
    log.finish();
    TimeFs found[3] = {0_fs, 0_fs, 0_fs};
    for (std::size_t epoch = 0; epoch < group.activities.size(); ++epoch) {
      for (const Activity& part : group.activities[epoch]) {
        std::map<std::uint32_t, TimeFs> busy;
        part.bins.for_each([&](std::uint32_t bin, const Bin& what) { busy[bin] = what.busy; });
        EXPECT_LT(busy.rbegin()->first, most) << "round " << round;
        for (const auto& [bin, time] : busy) found[part.series] += time;
        if (!early) continue;
        const std::vector<TimeFs>& ends = group.epochs.ends();
        const TimeFs epoch_end = epoch < ends.size() ? ends[epoch] : kNever;
        ASSERT_EQ(busy, overlaps(usages[part.series], group.epochs.begin_of(epoch), epoch_end, part.shift));
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      TimeFs expected = 0_fs;
      for (const Usage& usage : usages[i]) expected += usage.end - usage.begin;
      EXPECT_EQ(found[i], expected) << "round " << round;
    }
  }
}

// What was covered before is covered in each part.
TEST(EpochList, BothPartsOfADividedEpochHaveBinsThatFit) {
  EpochList epochs(16);
  epochs.cover(0_ns, 1'000'000_ns);
  const int wide = epochs.shift_of(0);
  epochs.divide(1_ns);
  EXPECT_EQ(epochs.shift_of(0), EpochList::kFirstShift);
  EXPECT_EQ(epochs.shift_of(1), wide);
  epochs.divide(500'000_ns);
  EXPECT_EQ(epochs.shift_of(1), wide - 1);
  EXPECT_EQ(epochs.shift_of(2), wide - 1);
  epochs.drop_last();
  EXPECT_EQ(epochs.shift_of(1), wide);
}

TEST(SeriesBins, AUseThatReachesIntoTheNextEpochIsDivided) {
  UsageLog log;
  SeriesGroup group{log, EpochList(16), {}};
  ActivitySeries series(group);
  series.add(dense(10_ns, 30_ns, 100));
  group.epochs.divide(15_ns);
  series.add(dense(30_ns, 40_ns, 50));
  log.finish();
  ASSERT_EQ(group.activities.size(), 2u);
  Bin sums[2];
  for (int i = 0; i < 2; ++i)
    group.activities[i].front().bins.for_each([&](std::uint32_t, const Bin& bin) { sums[i].add(bin); });
  EXPECT_EQ(sums[0].busy, 5_ns);
  EXPECT_EQ(sums[0].bytes, 25u);
  EXPECT_EQ(sums[1].busy, 25_ns);
  EXPECT_EQ(sums[1].bytes, 125u);
}

// A wire tells of its flits when it is used again, or at the end.
TEST(SeriesBins, WhatComesLateBelongsToItsEpoch) {
  UsageLog log;
  SeriesGroup group{log, EpochList(16), {}};
  for (const TimeFs end : {50_ns, 80_ns}) group.epochs.divide(end);
  ActivitySeries series(group);
  series.add(dense(10_ns, 20_ns));
  series.add(dense(90_ns, 95_ns));
  log.finish();
  ASSERT_EQ(group.activities.size(), 3u);
  EXPECT_EQ(group.activities[0].size(), 1u);
  EXPECT_TRUE(group.activities[1].empty());
  EXPECT_EQ(group.activities[2].size(), 1u);
}

TEST(BinList, HoldsTheLargestNumbers) {
  BinStore store;
  BinWriter open;
  const Bin large{kTimeEnd, kTimeEnd, ~std::uint64_t{0}, 77};
  open.append(3, large, store.pool());
  open.append(65'535, {1_fs, 0_fs, 0, 0}, store.pool());
  std::vector<std::uint32_t> bins;
  store.keep(open).for_each([&](std::uint32_t bin, const Bin& what) {
    if (bins.empty()) {
      EXPECT_EQ(what.busy, large.busy);
      EXPECT_EQ(what.wait, large.wait);
      EXPECT_EQ(what.bytes, large.bytes);
      EXPECT_EQ(what.queue, large.queue);
    }
    bins.push_back(bin);
  });
  EXPECT_EQ(bins, (std::vector<std::uint32_t>{3, 65'535}));
}

TEST(BinList, VarintsAreWhatFilesHave) {
  BinStore store;
  BinWriter open;
  open.append(2, {300_fs, 1_fs, 5, 1}, store.pool());
  open.append(3, {1_fs, 0_fs, 0, 0}, store.pool());
  EXPECT_EQ(store.keep(open).varints(), std::string("\2\xac\2\5\1\1\0\1\0\0\0", 11));
}

// Two series that take and give back chunks of one pool, against maps.
TEST(BinWriter, AreAMapOfBinsWhateverIsDone) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  using Values = std::tuple<TimeFs, TimeFs, std::uint64_t, std::uint64_t>;
  const auto values = [](const Bin& bin) { return Values(bin.busy, bin.wait, bin.bytes, bin.queue); };
  ChunkPool pool;
  BinWriter open[2];
  std::map<std::uint32_t, Bin> expected[2];
  for (int step = 0; step < 20'000; ++step) {
    BinWriter& bins = open[step % 2];
    std::map<std::uint32_t, Bin>& map = expected[step % 2];
    const std::uint32_t next = map.empty() ? 0 : map.rbegin()->first + 1;
    if (const std::uint32_t choice = below(40); choice == 0) {
      bins.clear(pool);
      map.clear();
    } else if (choice == 1) {
      const int by = 1 + static_cast<int>(below(3));
      const IndexedBin last = bins.widen(by, pool);
      if (!last.bin.is_empty()) bins.append(last.index, last.bin, pool);
      std::map<std::uint32_t, Bin> wider;
      for (const auto& [index, bin] : map) wider[index >> by].add(bin);
      map = std::move(wider);
    } else {
      const Bin bin{TimeFs(1 + below(9)), TimeFs(below(9)), below(9), below(9)};
      const std::uint32_t index = next + below(3);
      bins.append(index, bin, pool);
      map[index] = bin;
    }
    ASSERT_EQ(bins.empty(), map.empty());
    auto at = map.begin();
    bins.for_each([&](std::uint32_t index, const Bin& bin) {
      ASSERT_NE(at, map.end());
      ASSERT_EQ(index, at->first);
      ASSERT_EQ(values(bin), values(at->second));
      ++at;
    });
    ASSERT_EQ(at, map.end());
  }
}

TEST(SeriesBins, ALongUseHasTheSameBinsWithBytesAndWithout) {
  for (const std::int64_t length : {1, 30, 260, 300, 5'000, 123'457}) {
    std::vector<std::pair<std::uint32_t, TimeFs>> busy[2];
    int shift[2];
    for (std::size_t i = 0; i < 2; ++i) {
      UsageLog log(1);
      SeriesGroup group{log, EpochList(16), {}};
      ActivitySeries series(group);
      series.add({5_ns, 90_ns, 40_ns, 7_ns, 512, 3});
      series.add(dense(100_ns, 100_ns + length * 1_ns, i));
      log.finish();
      ASSERT_EQ(group.activities.size(), 1u);
      const Activity& part = group.activities[0].front();
      part.bins.for_each([&](std::uint32_t bin, const Bin& what) { busy[i].emplace_back(bin, what.busy); });
      shift[i] = part.shift;
      EXPECT_EQ(part.sum.busy, 40_ns + length * 1_ns);
    }
    EXPECT_EQ(shift[0], shift[1]) << length;
    EXPECT_EQ(busy[0], busy[1]) << length;
  }
}

}  // namespace
}  // namespace kb::record
