// Hop trace of one wire.
#pragma once

#include <vector>

#include "modules/fabric/flit_stream.h"
#include "platform/payload/i_hop_observer.h"

namespace kb::modules {

// Merges all flits of a leg into one hop. Takes retired flits in wire order.
class WireHops {
 public:
  WireHops(payload::IHopObserver& observer, NodeId from, NodeId to, TimeFs propagation)
      : observer_(observer), from_(from), to_(to), propagation_(propagation) {}

  bool follows(const payload::Transaction& transaction) const { return observer_.follows(transaction); }

  void add(const ShownFlit& flit);
  // Called after the last flit: reports incomplete hops.
  void finish();

 private:
  payload::Hop& open(const FlitStream& stream, std::uint64_t transaction);

  payload::IHopObserver& observer_;
  NodeId from_, to_;
  TimeFs propagation_;
  std::vector<payload::Hop> open_;  // hops that wait for their last flit; few, because legs are rarely interleaved
};

}  // namespace kb::modules
