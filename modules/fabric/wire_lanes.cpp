#include "modules/fabric/wire_lanes.h"

namespace kb::modules {

void WireLanes::put_back(const FlitRun& run) {
  SlidingDeque<FlitRun>& lane = lanes_[run.in_port];
  if (!lane.empty()) {
    FlitRun& next = lane.front();
    if (next.same_leg(run) && run.first + run.count == next.first && run.flit_bytes == next.flit_bytes) {
      next.first = run.first;
      next.count += run.count;
      return;
    }
  }
  lane.push_front(run);
}

FlitRun WireLanes::take_one(SlidingDeque<FlitRun>& lane) {
  FlitRun flit = lane.front();
  flit.count = 1;
  if (lane.front().count == 1) {
    lane.pop_front();
  } else {
    ++lane.front().first;
    --lane.front().count;
  }
  return flit;
}

void WireLanes::advance(TimeFs now) {
  while (!planned_.empty() && planned_.front().first <= now) {
    last_lane_ = planned_.front().lane;
    if (planned_.front().last > now) break;
    planned_.pop_front();
  }
  planned_.clear();  // what has not started is planned anew
}

}  // namespace kb::modules
