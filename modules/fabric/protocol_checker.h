// Checks transport calls over fabric links against the protocol (platform/payload/protocol.h).
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

// A flit or zero-byte message in the form in which the receiver of an edge finally got it.
struct LinkArrival {
  TimeFs time;
  std::uint64_t sequence = 0;
  std::uint64_t transaction = 0;  // id
  payload::Leg leg = payload::Leg::request;
  std::uint32_t index = 0;
  bool message = false;  // zero bytes
};

// Checks for every leg on every watched edge: BEGIN comes first and once (again only after a complete rollback); flits
// are announced in order and not for the present or the past; no arrived flit is rolled back; rollbacks have the right
// number and times of flits; times never decrease along the edge's sequence; END comes exactly once and not before the
// last flit; zero-byte legs have no END. For every block: it forwards and answers only what has come and was not
// forwarded or answered before; no flit leaves before its arrival, and no answer before the last flit of its request.
//
// Tests use mode `record`: everything is kept, problems are listed, and calls continue. On the links of plug-in blocks
// the mode is `enforce`: the first problem ends the run with an Error that names the block, and has no effect on other
// blocks.
class ProtocolChecker {
 public:
  enum class Mode : std::uint8_t { record, enforce };

  ProtocolChecker(elab::BlockContext& context, Mode mode);
  // Records on all links of `platform`, between the end of elaboration and the start of simulation.
  explicit ProtocolChecker(elab::Platform& platform);
  ~ProtocolChecker();
  ProtocolChecker(const ProtocolChecker&) = delete;
  ProtocolChecker& operator=(const ProtocolChecker&) = delete;

  // Inserts the checker between a node and its neighbour at a port.
  void watch(FabricNode& node, std::uint16_t port);

  // Called at the end of a simulation: checks that every leg is complete and ended. Returns all problems.
  std::vector<std::string> finish();
  // Arrivals on a directed edge, in the order of the sequence.
  std::vector<LinkArrival> arrivals(NodeId from, NodeId to) const;
  std::uint64_t shortened() const { return shortened_; }  // number of SHORTEN calls so far
  std::uint64_t segments() const { return segments_; }    // number of BEGIN_* and SEGMENT calls with flits so far

  // Like the function in foreign_links.h.
  void throw_if_a_block_stalls() const;

 private:
  class Tap;
  struct Edge;
  using LegKey = std::pair<std::uint64_t, payload::Leg>;  // transaction id and leg
  struct LegState {
    std::vector<std::uint64_t> flits;  // sequence numbers of all announced flits
    std::uint32_t expected = 0;        // number of flits of the whole leg; 0 = zero-byte
    TimeFs last_arrival;
    bool begun = false;
    bool ended = false;
  };
  // A leg that has reached a node, which must forward it or, at its end, answer it.
  struct Held {
    const payload::Transaction* transaction = nullptr;
    payload::Leg leg = payload::Leg::request;
    Edge* edge = nullptr;      // incoming edge
    TimeFs complete = kNever;  // arrival of the last flit, once all flits are announced
    bool passed = false;       // completely announced to the next node
  };
  struct Node {
    NodeId id;
    bool judged = false;  // false: a scripted test node, whose behaviour is not checked
    std::map<LegKey, Held> held;
  };
  struct Edge {
    Node& from;
    Node& to;
    TimeFs propagation;
    Bandwidth bw;
    std::map<LegKey, LegState> legs;
    std::deque<LinkArrival> announced;  // in order of sequence
    std::uint64_t forgotten = 0;        // sequence of the latest arrival that was removed from the list
  };

  Node& node(NodeId id);
  Edge& edge(NodeId from, NodeId to);
  const topology::Node& record(NodeId id) const { return context_.graph.node(id); }
  TimeFs now() const { return context_.scheduler.now(); }
  bool enforces() const { return mode_ == Mode::enforce; }
  void complain(const Node& culprit, const Node& neighbour, const std::string& what, const char* remedy);
  // Reports a violation by the sender of a leg on an edge.
  void complain(const Edge& edge, const payload::Transaction& transaction, const std::string& what, const char* remedy);

  void announce(Edge& edge, const payload::Transaction& transaction, const tlm::tlm_phase& phase);
  void announce_flits(Edge& edge, LegState& leg, const payload::Transaction& transaction);
  void shorten(Edge& edge, const payload::Transaction& transaction);
  // `edge` is the incoming edge of the leg.
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
