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

void WireHops::add_wait(payload::Hop& hop, const Occupied& flits) {
  const TimeFs begin = std::max(flits.begin, hop.last_ready), end = std::min(flits.end, hop.last_start);
  if (end <= begin) return;
  const bool own = flits.transaction == hop.transaction && flits.leg == hop.leg;
  (own ? hop.behind_own : hop.behind_others) += end - begin;
}

void WireHops::add_last(payload::Hop& hop, const ShownFlit& flit) const {
  hop.last_ready = flit.ready;
  hop.last_start = flit.start;
  for (const Occupied& flits : occupied_) add_wait(hop, flits);
}

// Flits leave in the order in which they are ready, so that what ended before this one was ready delays no later one.
void WireHops::occupy(const Occupied& flit) {
  if (flit.end == flit.begin) return;
  if (!occupied_.empty()) {
    Occupied& last = occupied_.back();
    if (last.end == flit.begin && last.transaction == flit.transaction && last.leg == flit.leg) {
      last.end = flit.end;
      return;
    }
  }
  occupied_.push_back(flit);
}

void WireHops::add(const ShownFlit& flit) {
  const Occupied occupied{flit.start, flit.end, flit.transaction.id, flit.stream.leg};
  for (std::size_t i = messages_.size(); i-- > 0;) {
    payload::Hop& message = messages_[i];
    add_wait(message, occupied);
    if (flit.end < message.last_start) continue;
    observer_.passed(message);
    messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  while (!occupied_.empty() && occupied_.front().end <= flit.ready) occupied_.pop_front();
  if (flit.transaction.followed) {
    payload::Hop& hop = open(flit.stream, flit.transaction.id);
    if (hop.flits++ == 0) {
      hop.ready = flit.ready;
      hop.start = flit.start;
    }
    hop.end = flit.end;
    hop.arrived = flit.end + propagation_;
    hop.longest_wait = std::max(hop.longest_wait, flit.start - flit.ready);
    if (flit.ends_leg()) {
      add_last(hop, flit);
      observer_.passed(hop);
      std::swap(hop, open_.back());
      open_.pop_back();
    }
  }
  occupy(occupied);
}

void WireHops::add_message(const payload::Hop& message) {
  payload::Hop hop = message;
  hop.last_ready = hop.ready;
  hop.last_start = hop.start;
  for (const Occupied& flits : occupied_) add_wait(hop, flits);
  if (hop.behind_own + hop.behind_others == hop.start - hop.ready) {
    observer_.passed(hop);
  } else {
    messages_.push_back(hop);
  }
}

void WireHops::finish() {
  for (const payload::Hop& hop : messages_) observer_.passed(hop);
  for (const payload::Hop& hop : open_) observer_.passed(hop);
  messages_.clear();
  open_.clear();
}

}  // namespace kb::modules
