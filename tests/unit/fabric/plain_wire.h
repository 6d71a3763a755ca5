// A wire of the fabric and a loop over its flits, for tests of the closed formulas.
#pragma once

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/wire.h"

namespace kb::modules {

using payload::kSequenceStep;
using payload::Segment;

inline constexpr std::uint16_t kPort = 1;  // port of all flits; messages come from ports 0 .. 2

inline std::int64_t pick(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}
inline TimeFs pick(TimeFs low, TimeFs high) {
  return TimeFs(pick(low.fs(), high.fs()));
}
inline std::uint32_t pick_count(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

struct PlainFlit {
  std::uint32_t id;  // FlitStream::first counts through all runs of a test
  ArrivalKey key;
  TimeFs ready;
  TimeFs occupancy;
  std::uint32_t bytes;
  TimeFs start = 0_fs;
  TimeFs end = 0_fs;
  account::PlaceId place{};
};

// Applies F-28 to one flit after the other.
inline void pass_one_by_one(std::vector<PlainFlit>& flits) {
  TimeFs available = 0_fs;
  for (PlainFlit& f : flits) {
    f.start = std::max(f.ready, available);
    f.end = available = f.start + f.occupancy;
  }
}

inline FlitStream make_run(TimeFs time, TimeFs spacing, std::uint64_t sequence, std::uint32_t first,
                           std::uint32_t count) {
  FlitStream run;
  run.time = time;
  run.spacing = spacing;
  run.sequence = sequence;
  run.first = first;
  run.count = count;
  run.in_port = kPort;
  return run;
}

// A wire, and the expected times of its flits.
class CheckedWire final : public IWireUser {
 public:
  explicit CheckedWire(double bw_gbs, TimeFs propagation = 1_fs) {
    Wire::Params params;
    params.bw = Bandwidth(bw_gbs);
    params.occupancy = params.bw.occupancy(params.flit_bytes);
    params.propagation = propagation;
    params.keep_until_sent = true;
    tested.configure(params);
  }

  void commit(const FlitStream& run, TimeFs floor) { commit(std::vector<FlitStream>{run}, floor); }
  void commit(const std::vector<FlitStream>& streams, TimeFs floor) {
    tested.commit(streams.data(), streams.size(), floor, *this);
    const auto committed = static_cast<std::ptrdiff_t>(flits.size());
    for (const FlitStream& run : streams) {
      const std::uint32_t bytes = run.flit_bytes == 0 ? 256 : run.flit_bytes;
      const TimeFs occupancy = tested.params().bw.occupancy(bytes);
      for (std::uint32_t i = 0; i < run.count; ++i)
        flits.push_back(
            {run.first + i, run.key(i), std::max(run.time_of(i), floor), occupancy, bytes, 0_fs, 0_fs, run.place});
    }
    std::sort(flits.begin() + committed, flits.end(),
              [](const PlainFlit& a, const PlainFlit& b) { return a.key < b.key; });
    pass_one_by_one(flits);
  }

  void cut(const ArrivalKey& limit) {
    rolled_back.clear();
    tested.cut(limit, *this);
    while (!flits.empty() && !(flits.back().key < limit)) {
      announced.erase(flits.back().id);
      flits.pop_back();
    }
  }

  bool equals_plain() const {
    bool equal = announced.size() == flits.size();
    for (std::size_t i = 0; equal && i < flits.size(); ++i) {
      const Announcement& announcement = announced.at(flits[i].id);
      equal = announcement.time == flits[i].end + tested.params().propagation &&
              announcement.sequence == (i + 1) * kSequenceStep;
    }
    return equal;
  }

  struct Announcement {
    TimeFs time;
    std::uint64_t sequence;
  };
  Wire tested;
  std::vector<PlainFlit> flits;
  std::map<std::uint32_t, Announcement> announced;  // by flit id
  std::vector<FlitStream> rolled_back;              // of the latest cut

 private:
  void on_committed(const FlitStream& run, const Segment& s) override {
    EXPECT_GE(s.first, run.first);
    EXPECT_LE(s.first + s.count, run.first + run.count);
    for (std::uint32_t i = 0; i < s.count; ++i) {
      const Announcement announcement{s.time + i * s.spacing, s.sequence + i * s.sequence_step};
      EXPECT_TRUE(announced.emplace(s.first + i, announcement).second)
          << "flit " << s.first + i << " is announced twice";
    }
  }
  void on_cut(const FlitStream& run, const TimeWindow& window) override {
    rolled_back.push_back(run);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const TimeFs arrival = announced.at(run.first + i).time;
      EXPECT_TRUE(window.from <= arrival && arrival <= window.until) << "flit " << run.first + i;
    }
  }
};

inline double any_bandwidth() {
  return *rc::gen::element(0.0, 256.0, 128.0, 100.0, 300.0);
}

// Random runs, or batches of several, whose keys and floors ascend.
class RunSource {
 public:
  std::vector<FlitStream> next() {
    time_ += pick(0, 1) * pick(0_fs, 6_ns);
    std::vector<FlitStream> streams;
    const TimeFs begin = time_;
    for (std::uint32_t n = pick(0, 1) == 0 ? 1 : pick_count(2, 4); n > 0; --n) {
      const TimeFs spacing = pick(0, 2) == 0 ? 0_fs : pick(0_fs, 4_ns);
      FlitStream run = make_run(begin + pick(0, 1) * pick(0_fs, 6_ns), spacing, sequence_, first_, pick_count(1, 12));
      if (run.count == 1 && pick(0, 2) == 0) run.flit_bytes = pick_count(1, 255);
      run.place = account::PlaceId{pick_count(0, 2)};
      time_ = std::max(time_, run.last_time());
      sequence_ += run.count * kSequenceStep;
      first_ += run.count;
      streams.push_back(run);
    }
    floor_ = std::max(floor_, pick(0, 1) * (begin + pick(0_fs, 8_ns)));
    return streams;
  }
  TimeFs floor() const { return floor_; }

 private:
  TimeFs time_ = 0_fs;
  TimeFs floor_ = 0_fs;
  std::uint64_t sequence_ = 0;
  std::uint32_t first_ = 0;
};

inline void commit_some(CheckedWire& wire, RunSource& source, std::uint32_t batches) {
  for (std::uint32_t i = 0; i < batches; ++i) {
    const std::vector<FlitStream> streams = source.next();
    wire.commit(streams, source.floor());
  }
}

}  // namespace kb::modules
