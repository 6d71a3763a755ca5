// The followed transactions of one wire.
#pragma once

#include <vector>

#include "modules/fabric/flit_stream.h"
#include "platform/payload/i_hop_observer.h"

namespace kb::modules {

// Makes one hop of all flits of a leg. Takes flits when they can no longer change, in their order on the wire.
class WireHops {
 public:
  WireHops(payload::IHopObserver& observer, NodeId from, NodeId to, TimeFs propagation)
      : observer_(observer), from_(from), to_(to), propagation_(propagation) {}

  bool follows(const payload::Transaction& transaction) const { return observer_.follows(transaction); }

  // The flit with index `i` of the stream, whose `shown` is set.
  void add(const FlitStream& stream, std::uint32_t i, TimeFs ready, TimeFs start, TimeFs end);
  // No flit follows: what has not passed as a whole is told as far as it came.
  void finish();

 private:
  payload::Hop& open(const FlitStream& stream, std::uint64_t transaction);

  payload::IHopObserver& observer_;
  NodeId from_, to_;
  TimeFs propagation_;
  std::vector<payload::Hop> open_;  // begun; few, since legs seldom alternate on a wire
};

}  // namespace kb::modules
