// What collectives between ranks take whose ranks are linked with each other, by formula.
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

// One way to do it.
struct DirectPlan {
  double ns = 0;
  double message = 0;      // bytes
  std::int64_t ahead = 1;  // chunks that are sent before the first one is waited for
  bool in_parts = false;   // broadcast and reduce in pieces, all-reduce by blocks: two steps that move less
};

// Let m be the messages of a step that a rank adds up, b what goes from a rank to another one, in k messages of s
// bytes, and alpha, beta and C those of the pattern of all messages of the call (AllReduceCosts). A message takes
//   first(s) = alpha + 2 slot(s) + C
// from its send to the end of its receive; each further one of a rank comes after
//   z = max(beta s, slot(s) + C, steps (first(s) + beta s) / slots of a ring, m math(s), mem(s))
// so that a call of one step takes first(s) + (k - 1) z + beta s + m math(s) + mem(s), and one of two steps first(s)
// more, where beta is that of both steps together. mem(s) is the load of a chunk of a rank's own, and its store, of
// those that have them; in z mem(2 s) of those with stores, which share the wire out of the PE with what is sent. In an
// all-reduce by blocks both steps go the same ways, with 2 k messages, and contributions are added as they come. The
// wires are idle at the beginning only, or the last sum is what everything waits for: with a z of messages alone,
//   max(first(s) + beta s + (2 k - 1) z,
//       2 first(s) + beta s + max(beta s + (k - 1) z + math(s), beta s / m + k max(m math(s), mem(s))))
// With several links to a rank slots and credits count a part.

// PE 0 of these cubes of each SIP.
std::vector<std::vector<PeCoord>> members_on(const std::vector<int>& sips, const std::vector<int>& cubes);

class DirectCosts {
 public:
  // Members with these PEs each, which exchange with those at the same place of the others.
  // `twice`: two links lead to a member, or four to the only other one, and messages take turns on them.
  DirectCosts(AllReduceCosts& costs, std::vector<std::vector<PeCoord>> members, double slots, bool twice)
      : costs_(costs), members_(std::move(members)), slots_(slots), twice_(twice) {}

  // The fastest for blocks of `block` bytes, what one rank contributes to another, in messages of `most` bytes at most
  // that are a multiple of `item`. `root` and `target` are members: of a call that has them.
  DirectPlan best(DirectCall call, double block, double item, double most, int root = 0, int target = 0);
  DirectPlan best(DirectCall call, bool in_parts, double block, double item, double most, int root = 0, int target = 0);

 private:
  struct Step {
    AllReduceCosts::Pattern pattern;
    double bytes = 0;  // from a rank to another one
    double added = 0;  // messages that are added up per message of a rank
    int steps = 1;
    bool loads = false, stores = false;  // own elements, and results at the end
    bool same_ways = false;              // of both steps
    bool few = false;  // chunks ahead: no more than it takes to be waited for, since sums go the same ways
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
