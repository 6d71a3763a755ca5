// Watches every transport call between the fabric blocks of a live machine and holds it against the fabric's protocol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "platform/elab/platform.h"
#include "platform/payload/protocol.h"
#include "platform/payload/transaction.h"

namespace kb::test {

// A flit or zero-byte message as the receiver of an edge got it in the end.
struct Arrival {
  TimeFs time = 0_fs;
  std::uint64_t sequence = 0;
  std::uint64_t transaction = 0;  // id
  payload::Leg leg = payload::Leg::request;
  std::uint32_t index = 0;
  bool message = false;  // zero bytes
};

// Verified for every leg on every edge: BEGIN first and once (again only after all of it was rolled back),
// flits announced in order, none for the present or the past, none rolled back that has arrived, rollbacks that say
// rightly how many flits and when, times never decreasing along the edge's sequence, END exactly once and not before
// the last flit, no END for zero-byte legs.
class ProtocolChecker {
 public:
  // Goes between the blocks of `platform`, whose elaboration has ended and whose simulation has not begun.
  explicit ProtocolChecker(elab::Platform& platform);
  ~ProtocolChecker();
  ProtocolChecker(const ProtocolChecker&) = delete;
  ProtocolChecker& operator=(const ProtocolChecker&) = delete;

  // At the end of a simulation: every leg that began must be complete and ended. Returns all problems, empty = none.
  std::vector<std::string> finish();
  // What arrived on a directed edge, in the order of its sequence.
  std::vector<Arrival> arrivals(NodeId from, NodeId to) const;
  std::uint64_t shortened() const { return shortened_; }  // SHORTEN calls so far
  std::uint64_t segments() const { return segments_; }    // BEGIN_* and SEGMENT calls with flits so far

 private:
  class Tap;
  using LegKey = std::tuple<std::uint64_t, payload::Leg>;  // transaction id and leg
  struct LegState {
    std::vector<std::uint64_t> flits;  // sequence of every announced flit
    std::uint32_t expected = 0;        // flits of the whole leg; 0 = zero-byte
    TimeFs last_arrival = 0_fs;
    bool begun = false;
    bool ended = false;
  };
  struct EdgeState {
    std::string name;
    std::map<LegKey, LegState> legs;
    std::map<std::uint64_t, Arrival> announced;  // by sequence
  };

  EdgeState& edge(NodeId from, NodeId to);
  // A call from `from` to its neighbour `to`.
  void check(NodeId from, NodeId to, const payload::Transaction& transaction, const tlm::tlm_phase& phase);
  void check_answer(const payload::Transaction& transaction, payload::Leg leg, const tlm::tlm_phase& phase,
                    tlm::tlm_sync_enum answer);
  void announce(EdgeState& edge, const payload::Transaction& transaction, const tlm::tlm_phase& phase);
  void shorten(EdgeState& edge, const payload::Transaction& transaction);
  void end(EdgeState& edge, const payload::Transaction& transaction, payload::Leg leg);
  void place(EdgeState& edge, const Arrival& arrival);
  void complain(const std::string& what);

  elab::Platform& platform_;
  std::vector<std::unique_ptr<Tap>> taps_;
  std::map<std::pair<NodeId, NodeId>, EdgeState> edges_;
  std::vector<std::string> problems_;
  std::uint64_t shortened_ = 0;
  std::uint64_t segments_ = 0;
};

}  // namespace kb::test
