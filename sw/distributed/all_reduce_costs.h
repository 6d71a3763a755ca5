// Formula times of all-reduces, by which `algorithm: auto` chooses, and the best root of a hierarchy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/ids.h"
#include "platform/base/machine_choices.h"
#include "platform/contract/message_costs.h"

namespace kb::contract {
class IHost;
}

namespace kb::sw {

// Hockney's model, T(b) = alpha + beta b for a message of b bytes (R. W. Hockney, "The communication challenge for
// MPP", Parallel Computing 20, 1994), with alpha and beta of the routes of this machine. The costs of all-reduces are
// composed of such messages as in R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication
// Operations in MPICH", IJHPCA 19(1), 2005. Parameters of a route:
// - alpha: all overheads and propagation, and the first flit on each wire except the narrowest. For a route with nodes
//   that store and forward messages, also the time on the narrowest wire of each part except the slowest part.
// - C: the latency of the returning credit, which a receive waits for.
// The messages of a pattern are in flight concurrently, so that
// - beta is the maximum over all wires of (number of messages that use the wire / its bandwidth).
// alpha and C of a pattern are the maxima over its messages. On a ring, a block needs a = the largest sum of alpha + C
// over as many consecutive hops as there are rounds. All times are in ns, for tiles of m bytes, n ranks, messages of s
// bytes, and k messages per block or tile:
//   slot(b) = setup + b / slot bandwidth     mem(b) = latency + b / bandwidth     math(b) = elements / rate
//   hop(b)  = alpha + beta b + 2 slot(b) + C
// For an average, every mem() before an addition and every block that is sent from memory need an additional math(); so
// does the final result of a rank, unless n is a power of two. Narrow integers count as i32 (K-15).
//
//   ring            k (2 mem(s) + max(a + (n - 1) (beta s + 2 slot(s)), (n - 1) (slot(s) + C + math(s))) + math(s))
//   reduce_scatter  b = m / n. In each of floor(n / 2) rounds a rank forwards the k messages of a block from the rank
//                   behind, then those of a block from the rank ahead, and then loads 2 k messages. The time is the end
//                   of this recursion over all ranks, with alpha + C per hop, beta s + 2 slot(s) per message, and
//                   intervals of max(beta s, slot(s) + C) between messages. The all-gather adds the same without
//                   additions and loads, less k - 1 intervals, because results leave one by one.
//   pairwise        DirectCosts
//   tree            one message: the recursion of a hierarchy along the D = ceil(log2 n) levels; each further message:
//                   2 mem(s) + D (slot(s) + C + math(s)) + max(slot(s) + C, beta s), with C and beta of the root's D
//                   messages
//   whole_tiles     k (2 mem(s) + R (hop(s) + math(s))), R = n - 1 rounds on a ring, (w - 1) + (h - 1) on a torus,
//                   twice that on a mesh
//   by_blocks       b = m / n, F = floor(n / 2) rounds with messages in both directions; on a line n - 1 rounds in one
//                   direction: k (2 (1 + ways) mem(s) + F (2 hop(s) + math(s))), where ways = 2 when n is odd and the
//                   path is closed, otherwise 1
//   hierarchical    one message: the recursion of docs/architecture/collectives.md, from the loads to the last store;
//                   each further message costs the time per message of the root, or of a PE on the way back
class AllReduceCosts {
 public:
  AllReduceCosts(contract::IHost& host, QueueMemory memory, Dtype dtype, bool average);

  // `ranks` are in ring order.
  double ring(const std::vector<PeCoord>& ranks, double tile, double message);
  double reduce_scatter(const std::vector<PeCoord>& ranks, double tile, double message);
  double tree(const std::vector<PeCoord>& ranks, double tile, double message);

  // One tile on PE 0 of every cube of a mesh or, with `pes` above 1, one on every PE of the cubes.
  struct Hierarchy {
    int cube_w = 1, cube_h = 1, pes = 1;
    int first_cube = 0;  // the only cube when the mesh has one
    int sips = 1, sip_w = 0, sip_h = 0;
    SipTopology topology = SipTopology::ring_1d;
  };
  double hierarchical(const Hierarchy& hierarchy, int root, double tile, double message);

  // An all-reduce between ranks: PE 0 of each of `cubes` of every SIP communicates with the same cube of the other
  // SIPs.
  struct Ranks {
    std::vector<int> sips, cubes;
    SipTopology topology = SipTopology::ring_1d;
    int grid_w = 0, grid_h = 0;
  };
  double whole_tiles(const Ranks& ranks, double tile, double message);
  double by_blocks(const Ranks& ranks, double tile, double message);

  // --- Building blocks that formulas of other collectives also use.
  struct Pattern {
    double latency = 0, credit = 0;
    double first_flit = 0, flit = 256;  // ns per byte on the wires except the narrowest; size of a flit in bytes
    double stored = 0;                  // ns per byte after the first flit
    double beta = 0;
    double alpha(double bytes) const {
      return latency + std::min(bytes, flit) * first_flit + std::max(0.0, bytes - flit) * stored;
    }
  };
  struct Pair {
    PeCoord from, to;
  };
  Pattern pattern(const std::vector<Pair>& messages);
  double slot(double bytes) const { return slot_setup_ + bytes * costs_.slot_ns_per_byte; }
  double memory(double bytes) const;
  // Time to add a contribution of `bytes` bytes; includes the widening of narrow integers.
  double adding(double bytes) const { return (begins_ ? 2 : 1) * math(bytes / narrow_item_ * item_); }
  double math(double bytes) const { return bytes / item_ / costs_.additions.per_ns(); }

 private:
  struct Line;
  const contract::MessageRoute& route(const PeCoord& from, const PeCoord& to);
  // Every rank sends to the ranks at these distances.
  const Pattern& shifts(const std::vector<PeCoord>& ranks, const std::vector<int>& distances);
  double hop(const Pattern& p, double bytes) const {
    return p.alpha(bytes) + p.beta * bytes + 2 * slot(bytes) + p.credit;
  }
  double contribution(double bytes) const { return memory(bytes) + (begins_ ? math(bytes) : 0); }  // until it is sent
  double finish(double bytes, double ranks) const;
  double take(double ready, double sent, const PeCoord& from, const PeCoord& to, double message);
  double reduce(const Line& line, std::vector<double>& ready, double message);
  struct Arrival {
    double at = 0;
    int sends = 0;  // number of sends with which the member begins
  };
  std::vector<Arrival> spread(const Line& line, const Arrival& root, double message);
  double sending(const PeCoord& from, const PeCoord& to, double bytes);
  double between(const Hierarchy& h, int cube, double message);
  Pattern to_neighbours(const Ranks& ranks, bool both_ways);
  std::vector<double> ring_hops(const std::vector<PeCoord>& ranks, double message);
  // Time in ns of passing blocks around a ring in both directions, with messages per block and their minimum spacing;
  // every message is transferred and added. `loading` is loaded by a rank before a round, `own` before the last one.
  struct Passing {
    std::size_t messages = 1;
    double interval = 0, in_flight = 0, adding = 0, loading = 0, own = 0;
  };
  static double both_ways(const std::vector<double>& hops, const Passing& passing, bool last);
  // The largest sum of alpha + C over `rounds` consecutive hops of the ring.
  double around(const std::vector<PeCoord>& ranks, int rounds, double message);
  double ring_of(const Pattern& p, double around, int rounds, double message) const;

  contract::IHost& host_;
  contract::PeCosts costs_;
  double slot_setup_ = 0, item_ = 2, narrow_item_ = 2;
  bool average_ = false, floats_ = true, begins_ = false;
  std::map<std::pair<PeCoord, PeCoord>, contract::MessageRoute> routes_;
  std::map<std::pair<std::vector<PeCoord>, std::vector<int>>, Pattern> patterns_;
};

}  // namespace kb::sw
