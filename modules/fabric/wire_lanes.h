#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "modules/fabric/flit_stream.h"
#include "modules/fabric/sliding_deque.h"
#include "platform/base/quantities.h"

namespace kb::modules {

// Two lanes of one node that share its wire flit by flit: each is in order, and they alternate while both have flits
// . The plan assumes that no more flits come; when one comes, the flits that have not started are rolled back
// from the wire and planned again.
class WireLanes {
 public:
  static constexpr std::size_t kLanes = 2;

  // `full` is the occupancy of a full flit; `bw` determines that of other sizes.
  WireLanes(TimeFs full, Bandwidth bw) : full_(full), bw_(bw) {}

  // Appends to lane `stream.in_port`.
  void add(const FlitStream& stream) { lanes_[stream.in_port].push_back(stream); }
  // Reinserts a stream that was rolled back; calls come from the newest to the oldest.
  void put_back(const FlitStream& stream);
  // Calls commit(stream) for all waiting flits in wire order; the times of a stream are the starts of its flits. The
  // wire is free at `from`.
  template <typename Commit>
  void plan(TimeFs now, TimeFs from, Commit&& commit);

 private:
  struct Planned {
    std::uint32_t lane = 0;
    TimeFs first = 0_fs, last = 0_fs;  // starts of its first and last flit
  };
  TimeFs occupancy_of_last(const FlitStream& stream) const {
    if (stream.flit_bytes != 0) return bw_.occupancy(stream.flit_bytes);
    return stream.has_last_flit() ? bw_.occupancy(stream.transaction->last_flit_bytes) : full_;
  }
  FlitStream take_one(SlidingDeque<FlitStream>& lane);
  void note(const FlitStream& stream) { planned_.push_back({stream.in_port, stream.time, stream.last_time()}); }
  // Removes planned flits that have started by `now`, and remembers which lane was the last.
  void advance(TimeFs now);

  TimeFs full_;
  Bandwidth bw_;
  std::array<SlidingDeque<FlitStream>, kLanes> lanes_;
  SlidingDeque<Planned> planned_;  // in order of start
  std::uint32_t last_lane_ = 0;
};

template <typename Commit>
void WireLanes::plan(TimeFs now, TimeFs from, Commit&& commit) {
  advance(now);
  TimeFs at = std::max(now, from);
  std::uint32_t turn = 1 - last_lane_;
  while (!lanes_[0].empty() && !lanes_[1].empty()) {
    FlitStream flit = take_one(lanes_[turn]);
    flit.time = at;
    flit.spacing = 0_fs;
    commit(flit);
    note(flit);
    at = time_sum(at, occupancy_of_last(flit));
    turn = 1 - turn;
  }
  for (SlidingDeque<FlitStream>& lane : lanes_) {
    for (; !lane.empty(); lane.pop_front()) {
      FlitStream stream = lane.front();
      stream.time = at;
      stream.spacing = full_;
      commit(stream);
      note(stream);
      at = time_sum(at, time_sum(time_product(stream.count - 1, full_), occupancy_of_last(stream)));
    }
  }
}

}  // namespace kb::modules
