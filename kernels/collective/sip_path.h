// A path through all SIPs, for collectives between ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/collective/sip_exchange.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// One direction of the path from the view of one SIP. Distances are counted in SIPs. On a closed path a block travels
// at most half around, one SIP more forward than backward when the number of SIPs is even. Example of an open path of
// SIPs 0, 1, 2: the forward direction of SIP 0 has 0 sources and 2 targets, its backward direction 2 sources and 0
// targets, and SIP 1 has one of each in both directions. If the path is closed, every SIP has one source and one target
// in both.
struct PathDirection {
  std::string_view from, to;  // directions to the previous and to the next SIP
  std::int64_t sources = 0;   // number of SIPs behind whose blocks arrive in this direction
  std::int64_t targets = 0;   // number of SIPs ahead that this SIP's blocks reach in this direction
  bool closed = false;
  // Whether a block from `distance` behind (0: this SIP's own) is forwarded to the next SIP.
  bool passes_on(std::int64_t distance) const { return closed ? distance < targets : targets > 0; }
  // Number of SIPs after this one that blocks from `distance` behind still reach.
  std::int64_t beyond(std::int64_t distance) const { return closed ? targets - distance : targets; }
};

// The path from another SIP to this one.
struct PathToRank {
  const PathDirection* direction = nullptr;  // null: it is this SIP
  std::int64_t distance = 0;
};

// Refers to the labels of `sip`, which must outlive the path. A ring is used as it is, a torus as a ring through all
// SIPs, and a mesh as a line, row by row with every other row reversed.
class SipPath {
 public:
  explicit SipPath(const SipPlace& sip);

  std::int64_t count() const { return static_cast<std::int64_t>(ranks_.size()); }
  const PathDirection& forward() const { return forward_; }
  const PathDirection& backward() const { return backward_; }
  // Rank of the SIP `distance` ahead in this direction; negative: behind.
  std::int64_t rank_ahead(const PathDirection& direction, std::int64_t distance) const;
  PathToRank arm_from(std::int64_t rank) const;
  // The arm that leads from rank `from` to rank `to`.
  PathToRank arm(std::int64_t from, std::int64_t to) const;

 private:
  std::int64_t place_of(std::int64_t rank) const;
  std::vector<std::int64_t> ranks_;  // indexed by position on the path
  std::int64_t place_ = 0;
  bool closed_ = false;
  PathDirection forward_, backward_;
};

// The work of one SIP in one direction: a sequence of messages that it receives and/or sends. Item i belongs to round
// first_round + i; a message that is sent in one round is received in a later one, or in the same one by a SIP further
// along. Both directions are processed together, round by round, so that any number of slots suffices; computation
// overlaps with messages in flight.
struct Lane {
  std::string_view from;
  std::function<Shape(std::int64_t)> shape;  // shape of an item's message
  std::int64_t items = 0;
  std::int64_t first_round = 0;
  std::int64_t unreceived = 0;  // number of leading items without a received message
  std::function<void(std::int64_t)> prepare = [](std::int64_t) {};  // called before the round's messages are waited for
  std::function<void(std::int64_t, const tl::TensorHandle*)> act;   // sends; null: no message was received
  std::function<void(std::int64_t, const tl::TensorHandle*)> settle =  // called when both directions have sent
      [](std::int64_t, const tl::TensorHandle*) {};
};
void run_lanes(tl::Context& tl, Dtype dtype, const std::vector<Lane>& lanes);

}  // namespace kb::kernels
