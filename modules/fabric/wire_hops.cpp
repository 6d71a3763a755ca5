#include "modules/fabric/wire_hops.h"

#include <algorithm>

namespace kb::modules {

payload::Hop& WireHops::open(const FlitStream& stream, std::uint64_t transaction) {
  const auto same = [&](const payload::Hop& hop) { return hop.transaction == transaction && hop.leg == stream.leg; };
  const auto found = std::find_if(open_.begin(), open_.end(), same);
  if (found != open_.end()) return *found;
  payload::Hop hop;
  hop.transaction = transaction;
  hop.from = from_;
  hop.to = to_;
  hop.leg = stream.leg;
  hop.index = stream.hop;
  return open_.emplace_back(hop);
}

void WireHops::add(const FlitStream& stream, std::uint32_t i, TimeFs ready, TimeFs start, TimeFs end) {
  const ShownTransaction shown = ShownTransaction::unpack(stream.shown);
  if (!shown.followed) return;
  payload::Hop& hop = open(stream, shown.id);
  if (hop.flits++ == 0) {
    hop.ready = ready;
    hop.start = start;
  }
  hop.end = end;
  hop.arrived = end + propagation_;
  hop.longest_wait = std::max(hop.longest_wait, start - ready);
  if (!shown.ends || i + 1 != stream.count) return;
  observer_.passed(hop);
  std::swap(hop, open_.back());
  open_.pop_back();
}

void WireHops::finish() {
  for (const payload::Hop& hop : open_) observer_.passed(hop);
  open_.clear();
}

}  // namespace kb::modules
