// Hop trace of one wire.
#pragma once

#include <deque>
#include <vector>

#include "modules/fabric/flit_stream.h"
#include "platform/payload/i_hop_observer.h"

namespace kb::modules {

// Merges all flits of a leg into one hop, and finds out whose flits its last one waited behind. Takes retired flits in
// wire order, and messages when they are sent.
class WireHops {
 public:
  WireHops(payload::IHopObserver& observer, NodeId from, NodeId to, TimeFs propagation)
      : observer_(observer), from_(from), to_(to), propagation_(propagation) {}

  bool follows(const payload::Transaction& transaction) const { return observer_.follows(transaction); }

  void add(const ShownFlit& flit);
  // A message, which waits for the flits before it and is not retired.
  void add_message(const payload::Hop& message);
  // Called after the last flit: reports incomplete hops.
  void finish();

 private:
  // Flits of one leg, one behind the other.
  struct Occupied {
    TimeFs begin, end;
    std::uint64_t transaction = 0;
    payload::Leg leg{};
  };

  payload::Hop& open(const FlitStream& stream, std::uint64_t transaction);
  void add_last(payload::Hop& hop, const ShownFlit& flit) const;
  void occupy(const Occupied& flit);
  // Adds the part of the wait of the hop's last flit in which the wire was occupied so.
  static void add_wait(payload::Hop& hop, const Occupied& flits);

  payload::IHopObserver& observer_;
  NodeId from_, to_;
  TimeFs propagation_;
  std::vector<payload::Hop> open_;      // hops that wait for their last flit; few, because legs are rarely interleaved
  std::vector<payload::Hop> messages_;  // behind flits that are not retired
  std::deque<Occupied> occupied_;       // what the next flit may have waited behind
};

}  // namespace kb::modules
