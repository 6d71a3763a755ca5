// What all-reduces take by formula: the times by which `algorithm: auto` chooses, and the best root of a hierarchy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/contract/message_costs.h"

namespace kb::contract {
class IHost;
}

namespace kb::sw {

// Hockney's model, T(b) = alpha + beta b for a message of b bytes (R. W. Hockney, "The communication challenge for
// MPP", Parallel Computing 20, 1994), with alpha and beta of the routes of this machine, and the costs of all-reduces
// made of such messages as in R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication
// Operations in MPICH", IJHPCA 19(1), 2005. Of a route
//   alpha  every overhead and propagation, the first flit on each wire but the narrowest, and, of a route with nodes
//          that store a message before they send it on, what it takes on the narrowest wire of each part but the
//          slowest,
//   C      the credit that travels back, which a receive waits for.
// Messages of a pattern are under way at the same time, so
//   beta   of each wire, the messages that pass it over its bandwidth; the largest of all wires.
// A pattern's alpha and C are its largest. Around a ring a block needs a = the largest sum of alpha + C over as many
// neighbouring hops as it has rounds. In ns, with m bytes of a tile, n ranks, s bytes of a message, k messages of a
// block or tile:
//   slot(b) = setup + b / slot bandwidth     mem(b) = latency + b / bandwidth     math(b) = elements / rate
//   hop(b)  = alpha + beta b + 2 slot(b) + C
// In an average every mem() before an addition, and every block that is sent from memory, has a math more, and what a
// rank finishes has one, unless n is a power of two; narrow integers count as i32 (K-15).
//
//   ring            k (2 mem(s) + max(a + (n - 1) (beta s + 2 slot(s)), (n - 1) (slot(s) + C + math(s))) + math(s))
//   reduce_scatter  b = m / n, floor(n / 2) rounds, in each of which a rank takes the k messages of a block from behind
//                   and passes them on, then those of one from ahead, and then loads 2 k messages: the end of that
//                   recursion over all ranks, with alpha + C of each hop, beta s + 2 slot(s) under way and messages
//                   max(beta s, slot(s) + C) apart; and once more without additions and loads, less
//                   k - 1 times that, since results leave one by one
//   pairwise        DirectCosts
//   tree            for one message the recursion of a hierarchy along the D = ceil(log2 n) levels; each further one
//                   2 mem(s) + D (slot(s) + C + math(s)) + max(slot(s) + C, beta s), with C and beta of the root's D
//                   messages
//   whole_tiles     k (2 mem(s) + R (hop(s) + math(s))), R = n - 1 rounds on a ring, (w - 1) + (h - 1) on a torus,
//                   twice that on a mesh
//   by_blocks       b = m / n, F = floor(n / 2) rounds and messages both ways at once, on a line n - 1 and one way:
//                   k (2 (1 + ways) mem(s) + F (2 hop(s) + math(s))), ways = 2 when n is odd and the path closed,
//                   else 1
//   hierarchical    the recursion of docs/architecture/collectives.md for one message, from the loads to the last
//                   store; each further one costs what the root, or a PE on the way back, does per message
class AllReduceCosts {
 public:
  AllReduceCosts(contract::IHost& host, QueueMemory memory, Dtype dtype, bool average);

  // `ranks` in the order of the ring.
  double ring(const std::vector<PeCoord>& ranks, double tile, double message);
  double reduce_scatter(const std::vector<PeCoord>& ranks, double tile, double message);
  double tree(const std::vector<PeCoord>& ranks, double tile, double message);

  // A tile on PE 0 of every cube of a mesh, or with `pes` above 1 on every PE of the cubes.
  struct Hierarchy {
    int cube_w = 1, cube_h = 1, pes = 1;
    int first_cube = 0;  // the only one when the mesh has just one
    int sips = 1, sip_w = 0, sip_h = 0;
    SipTopology topology = SipTopology::ring_1d;
  };
  double hierarchical(const Hierarchy& hierarchy, int root, double tile, double message);

  // An all-reduce between ranks: PE 0 of each of `cubes` of every SIP, with the same cube of the others.
  struct Ranks {
    std::vector<int> sips, cubes;
    SipTopology topology = SipTopology::ring_1d;
    int grid_w = 0, grid_h = 0;
  };
  double whole_tiles(const Ranks& ranks, double tile, double message);
  double by_blocks(const Ranks& ranks, double tile, double message);

  // --- What formulas of other collectives are made of.
  struct Pattern {
    double latency = 0, credit = 0;
    double first_flit = 0, flit = 256;  // ns per byte on the wires but the narrowest; its bytes
    double stored = 0;                  // ns per byte behind the first flit
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
  // Adds a contribution of so many bytes that came as it lies in memory; narrow integers are widened before.
  double adding(double bytes) const { return (begins_ ? 2 : 1) * math(bytes / narrow_item_ * item_); }
  double math(double bytes) const { return bytes / item_ / costs_.additions.per_ns(); }

 private:
  struct Line;
  const contract::MessageRoute& route(const PeCoord& from, const PeCoord& to);
  // Every rank to the ones at these distances.
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
    int sends = 0;  // that its place begins with it
  };
  std::vector<Arrival> spread(const Line& line, const Arrival& root, double message);
  double sending(const PeCoord& from, const PeCoord& to, double bytes);
  double between(const Hierarchy& h, int cube, double message);
  Pattern to_neighbours(const Ranks& ranks, bool both_ways);
  std::vector<double> ring_hops(const std::vector<PeCoord>& ranks, double message);
  // Around a ring both ways, in ns: messages of a block, at least so far apart; each is under way, and is added.
  // `loading` is what a rank loads before a round, `own` before the last one.
  struct Passing {
    std::size_t messages = 1;
    double interval = 0, under_way = 0, adding = 0, loading = 0, own = 0;
  };
  static double both_ways(const std::vector<double>& hops, const Passing& passing, bool last);
  // The largest sum of alpha + C over `rounds` hops of the ring that follow each other.
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
