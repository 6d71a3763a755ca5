// Holds every transport call over links of the fabric against its protocol (platform/payload/protocol.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/fabric/fabric_node.h"

namespace kb::elab {
class Platform;
}

namespace kb::modules {

// A flit or zero-byte message as the receiver of an edge got it in the end.
struct LinkArrival {
  TimeFs time;
  std::uint64_t sequence = 0;
  std::uint64_t transaction = 0;  // id
  payload::Leg leg = payload::Leg::request;
  std::uint32_t index = 0;
  bool message = false;  // zero bytes
};

// Verified for every leg on every watched edge: BEGIN first and once (again only after all of it was rolled back),
// flits announced in order, none for the present or the past, none rolled back that has arrived, rollbacks that say
// rightly how many flits and when, times never decreasing along the edge's sequence, END exactly once and not before
// the last flit, no END for zero-byte legs. And for every block: it passes on and answers only what has come and has
// not been passed on or answered before, no flit leaves before it has arrived, and no answer before the last flit of
// its request has.
//
// A test records: everything is kept, problems are listed, and calls go on. On the links of blocks from outside the
// checker enforces: the first problem ends the run with an Error that names the block, and what it did wrong reaches
// nobody.
class ProtocolChecker {
 public:
  enum class Mode : std::uint8_t { record, enforce };

  ProtocolChecker(elab::BlockContext& context, Mode mode);
  // Records on all links of `platform`, whose elaboration has ended and whose simulation has not begun.
  explicit ProtocolChecker(elab::Platform& platform);
  ~ProtocolChecker();
  ProtocolChecker(const ProtocolChecker&) = delete;
  ProtocolChecker& operator=(const ProtocolChecker&) = delete;

  // Goes between a node and its neighbour behind a port.
  void watch(FabricNode& node, std::uint16_t port);

  // At the end of a simulation: every leg that began must be complete and ended. Returns all problems, empty = none.
  std::vector<std::string> finish();
  // What arrived on a directed edge, in the order of its sequence.
  std::vector<LinkArrival> arrivals(NodeId from, NodeId to) const;
  std::uint64_t shortened() const { return shortened_; }  // SHORTEN calls so far
  std::uint64_t segments() const { return segments_; }    // BEGIN_* and SEGMENT calls with flits so far

  // As the function of foreign_links.h.
  void throw_if_a_block_stalls() const;

 private:
  class Tap;
  struct Edge;
  using LegKey = std::pair<std::uint64_t, payload::Leg>;  // transaction id and leg
  struct LegState {
    std::vector<std::uint64_t> flits;  // sequence of every announced flit
    std::uint32_t expected = 0;        // flits of the whole leg; 0 = zero-byte
    TimeFs last_arrival;
    bool begun = false;
    bool ended = false;
  };
  // A leg that has come to a node, which is to pass it on or, at its end, to answer it.
  struct Held {
    const payload::Transaction* transaction = nullptr;
    payload::Leg leg = payload::Leg::request;
    Edge* edge = nullptr;      // the edge on which it came
    TimeFs complete = kNever;  // arrival of the last flit, when all are announced
    bool passed = false;       // all of it is announced to the next node
  };
  struct Node {
    NodeId id;
    bool judged = false;  // false: a scripted node of a test, whose behaviour is not checked
    std::map<LegKey, Held> held;
  };
  struct Edge {
    Node& from;
    Node& to;
    TimeFs propagation;
    Bandwidth bw;
    std::map<LegKey, LegState> legs;
    std::deque<LinkArrival> announced;  // in order of sequence
    std::uint64_t forgotten = 0;        // sequence of the latest arrival that is no longer among them
  };

  Node& node(NodeId id);
  Edge& edge(NodeId from, NodeId to);
  const topology::Node& record(NodeId id) const { return context_.graph.node(id); }
  TimeFs now() const { return context_.scheduler.now(); }
  bool enforces() const { return mode_ == Mode::enforce; }
  void complain(const Node& culprit, const Node& neighbour, const std::string& what, const char* remedy);
  // Complains of a leg on an edge, whose sender has made the mistake.
  void complain(const Edge& edge, const payload::Transaction& transaction, const std::string& what, const char* remedy);

  void announce(Edge& edge, const payload::Transaction& transaction, const tlm::tlm_phase& phase);
  void announce_flits(Edge& edge, LegState& leg, const payload::Transaction& transaction);
  void shorten(Edge& edge, const payload::Transaction& transaction);
  // `edge` is the one on which the leg came.
  void end(Edge& edge, const payload::Transaction& transaction, payload::Leg leg);
  void place(Edge& edge, const payload::Transaction& transaction, const LinkArrival& arrival);

  static bool uses(const Edge& edge, const payload::Transaction& transaction);
  static LegKey cause_of(const Edge& edge, const payload::Transaction& transaction, payload::Leg leg);
  void check_cause(const Edge& edge, const payload::Transaction& transaction);
  TimeFs departure(const Edge& edge, const payload::Transaction& transaction, std::uint32_t i) const;
  void hold(Edge& edge, const payload::Transaction& transaction, TimeFs complete);
  static void set_passed(Edge& edge, const payload::Transaction& transaction, bool passed);

  elab::BlockContext& context_;
  const Mode mode_;
  std::vector<std::unique_ptr<Tap>> taps_;
  std::map<NodeId, Node> nodes_;
  std::map<std::pair<NodeId, NodeId>, Edge> edges_;
  std::vector<std::string> problems_;
  std::uint64_t shortened_ = 0;
  std::uint64_t segments_ = 0;
};

}  // namespace kb::modules
