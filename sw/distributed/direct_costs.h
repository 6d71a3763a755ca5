// Formula times of collectives between ranks with links between all pairs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sw/distributed/all_reduce_costs.h"

namespace kb::sw {

enum class DirectCall {
  all_gather,
  all_reduce,
  all_to_all,
  broadcast,
  gather,
  reduce,
  reduce_scatter,
  scatter,
  send_recv,
};

// One way to execute a collective.
struct DirectPlan {
  double ns = 0;
  double message = 0;      // bytes
  std::int64_t ahead = 1;  // chunks that are sent before the first one is waited for
  bool in_parts = false;   // broadcast and reduce in pieces, all-reduce by blocks: two steps with less traffic
};

// Let m be the number of messages of a step that a rank adds, b the bytes from one rank to another, in k messages of s
// bytes, and alpha, beta and C those of the pattern of all messages of the call (AllReduceCosts). A message takes
//   first(s) = alpha + 2 slot(s) + C
// from its send to the end of its receive. The interval between further messages of a rank is
//   z = max(beta s, slot(s) + C, steps (first(s) + beta s) / slots of a ring, m math(s), mem(s))
// so that a call with one step takes first(s) + (k - 1) z + beta s + m math(s) + mem(s), and a call with two steps
// takes first(s) more, with beta for both steps together. mem(s) is the load of an own chunk and its store, if the call
// has them; in calls with stores z has mem(2 s) instead, because stores share the wire out of the PE with messages. In
// an all-reduce by blocks both steps use the same links, with 2 k messages, and contributions are added when they
// arrive. It is bounded either by the messages, if the wires are idle only at the beginning, or by the last sum; with z
// for messages only, it takes
//   max(first(s) + beta s + (2 k - 1) z,
//       2 first(s) + beta s + max(beta s + (k - 1) z + math(s), beta s / m + k max(m math(s), mem(s))))
// With several links to a rank, slots and credits count once per link.

// PE 0 of these cubes of each SIP.
std::vector<std::vector<PeCoord>> members_on(const std::vector<int>& sips, const std::vector<int>& cubes);

class DirectCosts {
 public:
  // Each member has these PEs, which communicate with the PEs at the same index of the other members. `twice`: two
  // links lead to each member, or four to the only other one, and messages alternate between them.
  DirectCosts(AllReduceCosts& costs, std::vector<std::vector<PeCoord>> members, double slots, bool twice)
      : costs_(costs), members_(std::move(members)), slots_(slots), twice_(twice) {}

  // The fastest plan for blocks of `block` bytes, the contribution of one rank to another, with messages of at most
  // `most` bytes that are a multiple of `item`. `root` and `target` are member numbers, for calls that have them.
  DirectPlan best(DirectCall call, double block, double item, double most, int root = 0, int target = 0);
  DirectPlan best(DirectCall call, bool in_parts, double block, double item, double most, int root = 0, int target = 0);

 private:
  struct Step {
    AllReduceCosts::Pattern pattern;
    double bytes = 0;  // from one rank to another
    double added = 0;  // messages that a rank adds per message that it sends
    int steps = 1;
    bool loads = false, stores = false;  // loads of own elements, stores of results
    bool same_links = false;             // both steps use the same links
    // limits the chunks sent ahead to those needed to hide the latency, because sums use the same links
    bool few = false;
  };
  Step step(DirectCall call, bool in_parts, double block, int root, int target);
  DirectPlan timed(const Step& step, double message) const;
  void link(std::vector<AllReduceCosts::Pair>& pairs, int from, int to) const;

  AllReduceCosts& costs_;
  std::vector<std::vector<PeCoord>> members_;
  double slots_;
  bool twice_;
};

}  // namespace kb::sw
