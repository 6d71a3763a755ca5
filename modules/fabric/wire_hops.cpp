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

void WireHops::add(const ShownFlit& flit) {
  if (!flit.transaction.followed) return;
  payload::Hop& hop = open(flit.stream, flit.transaction.id);
  if (hop.flits++ == 0) {
    hop.ready = flit.ready;
    hop.start = flit.start;
  }
  hop.end = flit.end;
  hop.arrived = flit.end + propagation_;
  hop.longest_wait = std::max(hop.longest_wait, flit.start - flit.ready);
  if (!flit.ends_leg()) return;
  observer_.passed(hop);
  std::swap(hop, open_.back());
  open_.pop_back();
}

void WireHops::finish() {
  for (const payload::Hop& hop : open_) observer_.passed(hop);
  open_.clear();
}

}  // namespace kb::modules
