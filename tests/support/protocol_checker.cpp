#include "tests/support/protocol_checker.h"

#include <fmt/format.h>

#include "modules/fabric/fabric_node.h"

namespace kb::test {

using payload::Leg;
using payload::Segment;
using payload::Transaction;

namespace {
constexpr std::size_t kMostProblems = 20;
const char* leg_name(Leg leg) {
  return leg == Leg::request ? "request" : "response";
}
}  // namespace

// Stands for the neighbour behind one port.
class ProtocolChecker::Tap final
    : public tlm::tlm_fw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>,
      public tlm::tlm_bw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase> {
 public:
  using Forward = tlm::tlm_fw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>;
  using Backward = tlm::tlm_bw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>;

  Tap(ProtocolChecker& checker, NodeId from, NodeId to, Forward& forward, Backward& backward)
      : checker_(checker), from_(from), to_(to), forward_(forward), backward_(backward) {}

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return pass(payload, phase, delay, tlm::END_RESP, [&] { return forward_.nb_transport_fw(payload, phase, delay); });
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return pass(payload, phase, delay, tlm::END_REQ, [&] { return backward_.nb_transport_bw(payload, phase, delay); });
  }

 private:
  template <typename Call>
  tlm::tlm_sync_enum pass(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                          const tlm::tlm_phase& end_phase, Call&& call) {
    const Transaction& transaction = *payload.get_extension<Transaction>();
    const tlm::tlm_phase before = phase;
    const Leg leg = transaction.segment.leg;
    const bool end = phase == tlm::END_REQ || phase == tlm::END_RESP;
    if (delay != sc_core::SC_ZERO_TIME) checker_.complain("a call carries a delay");
    if (end && phase != end_phase) checker_.complain("an END takes the wrong path");
    checker_.check(from_, to_, transaction, phase);
    const tlm::tlm_sync_enum answer = call();
    if (!end) checker_.check_answer(transaction, leg, before, answer);
    return answer;
  }

  ProtocolChecker& checker_;
  NodeId from_, to_;
  Forward& forward_;
  Backward& backward_;
};

ProtocolChecker::ProtocolChecker(elab::Platform& platform) : platform_(platform) {
  for (std::uint32_t n = 0; n < platform.graph().nodes.size(); ++n) {
    if (platform.graph().nodes[n].kind == topology::NodeKind::host) continue;
    auto* node = dynamic_cast<modules::FabricNode*>(&platform.block(platform.graph().nodes[n].id));
    if (node == nullptr) continue;
    for (std::uint16_t p = 0; p < node->port_count(); ++p) {
      modules::FabricNode::Link& link = node->link(p);
      taps_.push_back(std::make_unique<Tap>(*this, NodeId(n), link.neighbour, *link.forward, *link.backward));
      link.forward = taps_.back().get();
      link.backward = taps_.back().get();
    }
  }
}

ProtocolChecker::~ProtocolChecker() = default;

ProtocolChecker::EdgeState& ProtocolChecker::edge(NodeId from, NodeId to) {
  EdgeState& state = edges_[{from, to}];
  if (state.name.empty()) state.name = platform_.graph().node(from).id + " -> " + platform_.graph().node(to).id;
  return state;
}

void ProtocolChecker::complain(const std::string& what) {
  if (problems_.size() == kMostProblems) return;
  problems_.push_back(format_ns(platform_.scheduler().now()) + " ns: " + what);
}

void ProtocolChecker::check(NodeId from, NodeId to, const Transaction& transaction, const tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {
    end(edge(to, from), transaction, Leg::request);
  } else if (phase == tlm::END_RESP) {
    end(edge(to, from), transaction, Leg::response);
  } else if (phase == payload::SHORTEN) {
    shorten(edge(from, to), transaction);
  } else {
    announce(edge(from, to), transaction, phase);
  }
}

void ProtocolChecker::check_answer(const Transaction& transaction, Leg leg, const tlm::tlm_phase& phase,
                                   tlm::tlm_sync_enum answer) {
  const bool message = phase != payload::SHORTEN && transaction.leg_flits(leg) == 0;
  if (answer != (message ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED)) {
    complain(fmt::format("{} of #{} is answered with {}", phase.get_name(), transaction.id, static_cast<int>(answer)));
  }
}

void ProtocolChecker::announce(EdgeState& edge, const Transaction& transaction, const tlm::tlm_phase& phase) {
  const Segment& s = transaction.segment;
  LegState& leg = edge.legs[{transaction.id, s.leg}];
  const std::string who = fmt::format("{}: {} of #{}", edge.name, leg_name(s.leg), transaction.id);
  const bool begin = phase == (s.leg == Leg::request ? tlm::BEGIN_REQ : tlm::BEGIN_RESP);
  leg.expected = transaction.leg_flits(s.leg);
  if (!begin && phase != payload::SEGMENT) complain(who + " comes with phase " + phase.get_name());
  if (begin && leg.begun) complain(who + " begins twice");
  if (!begin && !leg.begun) complain(who + " goes on before it began");
  if (leg.ended) complain(who + " goes on after its END");
  leg.begun = true;
  if (s.time <= platform_.scheduler().now()) complain(who + " is announced for the present or the past");
  if (leg.expected == 0) {
    if (s.count != 1 || s.first != 0) complain(who + " is not a single zero-byte message");
    place(edge, {s.time, s.sequence, transaction.id, s.leg, 0, true});
    return;
  }
  ++segments_;
  if (s.count == 0 || s.spacing < 0_fs) complain(who + " has an empty or unordered segment");
  if (s.first != leg.flits.size()) {
    complain(fmt::format("{} goes on with flit {} after {} flits", who, s.first, leg.flits.size()));
  }
  if (s.first + s.count > leg.expected) complain(who + " has too many flits");
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const std::uint64_t sequence = s.sequence + i * s.sequence_step;
    place(edge, {s.time + i * s.spacing, sequence, transaction.id, s.leg, s.first + i, false});
    leg.flits.push_back(sequence);
  }
  leg.last_arrival = s.time + (s.count - 1) * s.spacing;
}

void ProtocolChecker::place(EdgeState& edge, const Arrival& arrival) {
  const auto [at, fresh] = edge.announced.emplace(arrival.sequence, arrival);
  const auto next = std::next(at);
  const bool early = at != edge.announced.begin() && std::prev(at)->second.time > arrival.time;
  const bool late = next != edge.announced.end() && next->second.time < arrival.time;
  if (!fresh || early || late) {
    complain(fmt::format("{}: flit {} of #{} at {} ns is out of order", edge.name, arrival.index, arrival.transaction,
                         format_ns(arrival.time)));
  }
}

void ProtocolChecker::shorten(EdgeState& edge, const Transaction& transaction) {
  const Segment& s = transaction.segment;
  LegState& leg = edge.legs[{transaction.id, s.leg}];
  const std::string who = fmt::format("{}: {} of #{}", edge.name, leg_name(s.leg), transaction.id);
  ++shortened_;
  if (leg.ended) complain(who + " is shortened after its END");
  if (s.first >= leg.flits.size()) {
    complain(who + " is shortened without effect");
    return;
  }
  if (s.count != leg.flits.size() - s.first) complain(who + " is shortened with a wrong number of flits");
  while (leg.flits.size() > s.first) {
    const auto flit = edge.announced.find(leg.flits.back());
    const TimeFs time = flit->second.time;
    if (time <= platform_.scheduler().now()) complain(who + " loses a flit that has arrived");
    if (time < s.time || time > s.time + s.spacing) complain(who + " loses a flit outside of the given window");
    edge.announced.erase(flit);
    leg.flits.pop_back();
  }
  leg.begun = s.first > 0;
  leg.last_arrival = leg.begun ? edge.announced.at(leg.flits.back()).time : 0_fs;
}

void ProtocolChecker::end(EdgeState& edge, const Transaction& transaction, Leg which) {
  LegState& leg = edge.legs[{transaction.id, which}];
  const std::string who = fmt::format("{}: {} of #{}", edge.name, leg_name(which), transaction.id);
  if (leg.ended) complain(who + " ends twice");
  if (transaction.leg_flits(which) == 0) complain(who + " has no flits but an END");
  if (leg.flits.size() != transaction.leg_flits(which)) complain(who + " ends before all its flits are announced");
  if (platform_.scheduler().now() < leg.last_arrival) complain(who + " ends before its last flit arrives");
  leg.ended = true;
}

std::vector<std::string> ProtocolChecker::finish() {
  for (const auto& entry : edges_) {
    for (const auto& [key, leg] : entry.second.legs) {
      if (leg.begun && (leg.expected == 0 || (leg.ended && leg.flits.size() == leg.expected))) continue;
      complain(
          fmt::format("{}: {} of #{} stays open", entry.second.name, leg_name(std::get<1>(key)), std::get<0>(key)));
    }
  }
  return problems_;
}

std::vector<Arrival> ProtocolChecker::arrivals(NodeId from, NodeId to) const {
  std::vector<Arrival> list;
  const auto found = edges_.find({from, to});
  if (found == edges_.end()) return list;
  for (const auto& entry : found->second.announced) list.push_back(entry.second);
  return list;
}

}  // namespace kb::test
