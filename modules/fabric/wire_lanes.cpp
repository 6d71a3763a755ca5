#include "modules/fabric/wire_lanes.h"

namespace kb::modules {

void WireLanes::put_back(const FlitStream& stream) {
  SlidingDeque<FlitStream>& lane = lanes_[stream.in_port];
  if (!lane.empty()) {
    FlitStream& next = lane.front();
    if (next.same_leg(stream) && stream.first + stream.count == next.first && stream.flit_bytes == next.flit_bytes) {
      next.first = stream.first;
      next.count += stream.count;
      return;
    }
  }
  lane.push_front(stream);
}

FlitStream WireLanes::take_one(SlidingDeque<FlitStream>& lane) {
  FlitStream flit = lane.front();
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
  planned_.clear();  // flits that have not started are planned again
}

}  // namespace kb::modules
