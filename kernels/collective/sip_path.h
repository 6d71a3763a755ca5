// The SIPs as one path, for collectives between ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/collective/sip_exchange.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// One of the two directions along the path, as one SIP sees it. Distances are counted in SIPs. On a closed path a block
// travels half around at most, one more forward than backward when the number of SIPs is even. On an open path of SIPs
// 0, 1, 2 the forward direction of SIP 0 has no sources and 2 targets, its backward direction 2 sources and no target;
// SIP 1 has one of each in both. Closed, every SIP has one source and one target in both.
struct PathDirection {
  std::string_view from, to;  // directions to the SIP behind and to the one ahead
  std::int64_t sources = 0;   // SIPs behind whose blocks come in this direction
  std::int64_t targets = 0;   // SIPs ahead that this SIP's blocks reach in this direction
  bool closed = false;
  // Whether a block from `distance` behind (0: this SIP's own) goes on to the next SIP.
  bool passes_on(std::int64_t distance) const { return closed ? distance < targets : targets > 0; }
  // SIPs beyond this one that blocks from `distance` behind still reach.
  std::int64_t beyond(std::int64_t distance) const { return closed ? targets - distance : targets; }
};

// How this SIP is reached from another one.
struct Arm {
  const PathDirection* direction = nullptr;  // null: it is that SIP itself
  std::int64_t distance = 0;
};

// Views the labels of `sip`, which therefore lives as long as the path. A ring as it is; a torus as a ring through all
// its SIPs; a mesh as a line, row by row, every other row backwards.
class SipPath {
 public:
  explicit SipPath(const SipPlace& sip);

  std::int64_t count() const { return static_cast<std::int64_t>(ranks_.size()); }
  const PathDirection& forward() const { return forward_; }
  const PathDirection& backward() const { return backward_; }
  // Rank of the SIP `distance` ahead in that direction; behind when negative.
  std::int64_t rank_ahead(const PathDirection& direction, std::int64_t distance) const;
  Arm arm_from(std::int64_t rank) const;
  // The arm that leads to `to` for the SIP of rank `from`.
  Arm arm(std::int64_t from, std::int64_t to) const;

 private:
  std::int64_t place_of(std::int64_t rank) const;
  std::vector<std::int64_t> ranks_;  // by place on the path
  std::int64_t place_ = 0;
  bool closed_ = false;
  PathDirection forward_, backward_;
};

// What one SIP does in one direction: a sequence of messages that it receives and/or sends. Item i belongs to round
// first_round + i; a message that is sent in one round is received in a later one, or in the same one further on. The
// directions are worked through together, round by round, so that any number of slots suffices, and what takes time
// beside the messages is done while they are under way.
struct Lane {
  std::string_view from;
  std::function<Shape(std::int64_t)> shape;  // of an item's message
  std::int64_t items = 0;
  std::int64_t first_round = 0;
  std::int64_t unreceived = 0;                                         // the first items that receive nothing
  std::function<void(std::int64_t)> prepare = [](std::int64_t) {};     // before the round's messages are waited for
  std::function<void(std::int64_t, const tl::TensorHandle*)> act;      // sends; null: nothing was received
  std::function<void(std::int64_t, const tl::TensorHandle*)> settle =  // when all directions have sent
      [](std::int64_t, const tl::TensorHandle*) {};
};
void run_lanes(tl::Context& tl, Dtype dtype, const std::vector<Lane>& lanes);

}  // namespace kb::kernels
