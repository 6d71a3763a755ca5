#include "modules/fabric/protocol_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"
#include "platform/elab/foreign_call.h"
#include "platform/elab/platform.h"
#include "platform/routing/latency.h"

namespace kb::modules {

using payload::Leg;
using payload::Segment;
using payload::Transaction;

namespace {

constexpr std::size_t kMaxProblems = 20;
constexpr const char* kOnce = "pass on every flit and message once, and answer every request once";
constexpr const char* kInOrder = "pass on the flits of a transfer in the order of their index";
constexpr const char* kInTime =
    "let a flit leave no earlier than it has arrived, and an answer no earlier than the last flit of its request";
constexpr const char* kProtocol = "keep to platform/payload/protocol.h, or derive the block from ArrivalNode";

// Scripted test neighbours are not checked.
bool is_scripted(const topology::Node& node) {
  return node.impl.rfind("test.", 0) == 0;
}

struct BySequence {
  bool operator()(const LinkArrival& a, std::uint64_t sequence) const { return a.sequence < sequence; }
  bool operator()(std::uint64_t sequence, const LinkArrival& a) const { return sequence < a.sequence; }
};

template <typename Arrivals>
auto find(Arrivals& announced, std::uint64_t sequence) {
  const auto found = std::lower_bound(announced.begin(), announced.end(), sequence, BySequence{});
  return found != announced.end() && found->sequence == sequence ? found : announced.end();
}

}  // namespace

// Replaces the neighbour at one port.
class ProtocolChecker::Tap final
    : public tlm::tlm_fw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>,
      public tlm::tlm_bw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase> {
 public:
  using Forward = tlm::tlm_fw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>;
  using Backward = tlm::tlm_bw_nonblocking_transport_if<tlm::tlm_generic_payload, tlm::tlm_phase>;

  Tap(ProtocolChecker& checker, Edge& out, Edge& back, const FabricNode::Link& link)
      : checker_(checker), out_(out), back_(back), forward_(*link.forward), backward_(*link.backward) {}

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
    const Transaction* const transaction = payload.get_extension<Transaction>();
    if (transaction == nullptr) {
      complain("sends a payload that is not from the transaction pool");
      return tlm::TLM_ACCEPTED;
    }
    const bool end = phase == tlm::END_REQ || phase == tlm::END_RESP;
    if (delay != sc_core::SC_ZERO_TIME) complain("makes a call with a delay");
    if (end && phase != end_phase) complain("sends an END over the wrong path");
    const bool flits = transaction->leg_flits(transaction->segment.leg) > 0;
    const bool message = !end && phase != payload::SHORTEN && !flits;
    check(*transaction, phase);
    const tlm::tlm_sync_enum expected = message ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    if (!checker_.enforces()) {
      compare(call(), expected, end);
    } else if (!checker_.context_.scheduler.failed()) {
      elab::call_block(checker_.record(out_.to.id), checker_.context_.scheduler,
                       [&] { compare(call(), expected, end); });
    }
    return expected;
  }
  void check(const Transaction& transaction, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ || phase == tlm::END_RESP) {
      checker_.end(back_, transaction, phase == tlm::END_REQ ? Leg::request : Leg::response);
    } else if (!uses(out_, transaction)) {
      checker_.complain(out_, transaction, "does not pass here", kProtocol);
    } else if (phase == payload::SHORTEN) {
      checker_.shorten(out_, transaction);
    } else {
      checker_.announce(out_, transaction, phase);
    }
  }
  void compare(tlm::tlm_sync_enum answer, tlm::tlm_sync_enum expected, bool end) {
    if (end || answer == expected) return;
    checker_.complain(out_.to, out_.from, fmt::format("returns {} from a call", static_cast<int>(answer)), kProtocol);
  }
  void complain(const char* what) { checker_.complain(out_.from, out_.to, what, kProtocol); }

  ProtocolChecker& checker_;
  Edge& out_;
  Edge& back_;
  Forward& forward_;
  Backward& backward_;
};

ProtocolChecker::ProtocolChecker(elab::BlockContext& context, Mode mode) : context_(context), mode_(mode) {}

ProtocolChecker::ProtocolChecker(elab::Platform& platform) : ProtocolChecker(platform.context(), Mode::record) {
  for (std::uint32_t n = 0; n < platform.graph().nodes.size(); ++n) {
    if (platform.graph().nodes[n].kind == topology::NodeKind::host) continue;
    auto* const node = static_cast<FabricNode*>(platform.block(NodeId(n)).fabric_side());
    if (node == nullptr) continue;
    for (std::uint16_t p = 0; p < node->port_count(); ++p) watch(*node, p);
  }
}

ProtocolChecker::~ProtocolChecker() = default;

void ProtocolChecker::watch(FabricNode& node, std::uint16_t port) {
  FabricNode::Link& link = node.link(port);
  Edge& out = edge(node.node(), link.neighbour);
  taps_.push_back(std::make_unique<Tap>(*this, out, edge(link.neighbour, node.node()), link));
  link.forward = taps_.back().get();
  link.backward = taps_.back().get();
}

ProtocolChecker::Node& ProtocolChecker::node(NodeId id) {
  const auto [found, fresh] = nodes_.try_emplace(id);
  if (fresh) {
    found->second.id = id;
    found->second.judged = enforces() ? record(id).foreign : !is_scripted(record(id));
  }
  return found->second;
}

ProtocolChecker::Edge& ProtocolChecker::edge(NodeId from, NodeId to) {
  const auto found = edges_.find({from, to});
  if (found != edges_.end()) return found->second;
  for (const elab::PortMap::Port& port : context_.ports.ports(from)) {
    if (port.neighbour != to) continue;
    const topology::Edge& out = context_.graph.edge(port.out);
    const TimeFs propagation = routing::propagation_fs(out, context_.graph.spec.ns_per_mm);
    Edge state{node(from), node(to), propagation, out.bw, {}, {}};
    return edges_.emplace(std::pair(from, to), std::move(state)).first->second;
  }
  throw Error::model(record(from).id + " has no edge to " + record(to).id);
}

void ProtocolChecker::complain(const Node& culprit, const Node& neighbour, const std::string& what,
                               const char* remedy) {
  const std::string text = fmt::format("{}, on its link to {},", what, record(neighbour.id).id);
  if (enforces()) {
    elab::fail_for(record(culprit.id), context_.scheduler, text, remedy);
  } else if (problems_.size() < kMaxProblems) {
    problems_.push_back(fmt::format("{} ns: {} {} {}", format_ns(now()), record(culprit.id).id, text, remedy));
  }
}

void ProtocolChecker::complain(const Edge& edge, const Transaction& transaction, const std::string& what,
                               const char* remedy) {
  const char* const leg = transaction.segment.leg == Leg::response ? "answer to the " : "";
  complain(edge.from, edge.to,
           fmt::format("breaks the protocol: the {}{} (transaction {}) {}", leg,
                       request_text(transaction, context_.graph), transaction.id, what),
           remedy);
}

// The segment holds the receiver's index in the route.
bool ProtocolChecker::uses(const Edge& edge, const Transaction& transaction) {
  const Segment& s = transaction.segment;
  const std::vector<NodeId>& route = transaction.route->nodes;
  const std::size_t from = s.leg == Leg::request ? std::size_t{s.hop} - 1 : std::size_t{s.hop} + 1;
  return from < route.size() && s.hop < route.size() && route[from] == edge.from.id && route[s.hop] == edge.to.id;
}

void ProtocolChecker::announce(Edge& edge, const Transaction& transaction, const tlm::tlm_phase& phase) {
  const Segment& s = transaction.segment;
  const LegKey key{transaction.id, s.leg};
  const bool begin = phase == (s.leg == Leg::request ? tlm::BEGIN_REQ : tlm::BEGIN_RESP);
  if (!begin && phase != payload::SEGMENT) {
    complain(edge, transaction, fmt::format("comes with the phase {}", phase.get_name()), kProtocol);
  }
  check_cause(edge, transaction);
  LegState& leg = edge.legs[key];
  leg.expected = transaction.leg_flits(s.leg);
  if (begin && leg.begun) complain(edge, transaction, "begins twice", kOnce);
  if (!begin && !leg.begun) complain(edge, transaction, "goes on before it began", kInOrder);
  if (leg.ended) complain(edge, transaction, "goes on after its END", kOnce);
  if (s.time <= now()) {
    complain(edge, transaction, fmt::format("is announced for {} ns, which is not after now", format_ns(s.time)),
             kInTime);
  }
  leg.begun = true;
  if (leg.expected > 0) return announce_flits(edge, leg, transaction);
  if (s.count != 1 || s.first != 0) complain(edge, transaction, "is not a single zero-byte message", kProtocol);
  place(edge, transaction, {s.time, s.sequence, transaction.id, s.leg, 0, true});
  edge.from.held.erase(cause_of(edge, transaction, s.leg));
  if (enforces()) edge.legs.erase(key);
  hold(edge, transaction, s.time);
}

void ProtocolChecker::announce_flits(Edge& edge, LegState& leg, const Transaction& transaction) {
  const Segment& s = transaction.segment;
  ++segments_;
  if (s.count == 0 || s.spacing < 0_fs) complain(edge, transaction, "has an empty or unordered segment", kProtocol);
  if (s.first != leg.flits.size()) {
    complain(edge, transaction, fmt::format("goes on with flit {} after {} flits", s.first, leg.flits.size()),
             kInOrder);
  }
  if (s.first + s.count > leg.expected) complain(edge, transaction, "has too many flits", kOnce);
  for (std::uint32_t i = 0; i < s.count; ++i) {
    const std::uint64_t sequence = s.sequence + i * s.sequence_step;
    const TimeFs time = s.time + i * s.spacing;
    place(edge, transaction, {time, sequence, transaction.id, s.leg, s.first + i, false});
    leg.flits.push_back(sequence);
    leg.last_arrival = time;
  }
  const bool whole = leg.flits.size() == leg.expected;
  set_passed(edge, transaction, whole);
  hold(edge, transaction, whole ? leg.last_arrival : kNever);
}

void ProtocolChecker::place(Edge& edge, const Transaction& transaction, const LinkArrival& arrival) {
  std::deque<LinkArrival>& announced = edge.announced;
  while (enforces() && !announced.empty() && announced.front().time <= now()) {
    edge.forgotten = announced.front().sequence;
    announced.pop_front();
  }
  const auto next = std::upper_bound(announced.begin(), announced.end(), arrival.sequence, BySequence{});
  const LinkArrival* const before = next == announced.begin() ? nullptr : &*std::prev(next);
  const bool twice = before == nullptr ? arrival.sequence <= edge.forgotten : before->sequence == arrival.sequence;
  const bool early = before != nullptr && before->time > arrival.time;
  const bool late = next != announced.end() && next->time < arrival.time;
  if (twice || early || late) {
    complain(edge, transaction,
             fmt::format("has flit {} at {} ns, out of the order of the link", arrival.index, format_ns(arrival.time)),
             kInOrder);
  }
  if (!twice) announced.insert(next, arrival);
}

void ProtocolChecker::shorten(Edge& edge, const Transaction& transaction) {
  const Segment& s = transaction.segment;
  LegState& leg = edge.legs[{transaction.id, s.leg}];
  ++shortened_;
  if (leg.ended) complain(edge, transaction, "is shortened after its END", kProtocol);
  if (s.first >= leg.flits.size()) return complain(edge, transaction, "is shortened without effect", kProtocol);
  if (s.count != leg.flits.size() - s.first) {
    complain(edge, transaction, "is shortened with a wrong number of flits", kProtocol);
  }
  while (leg.flits.size() > s.first) {
    const auto flit = find(edge.announced, leg.flits.back());
    leg.flits.pop_back();
    if (flit == edge.announced.end() || flit->time <= now()) {
      complain(edge, transaction, "loses a flit that has arrived", kProtocol);
      continue;
    }
    if (flit->time < s.time || flit->time > s.time + s.spacing) {
      complain(edge, transaction, "loses a flit outside of the given window", kProtocol);
    }
    edge.announced.erase(flit);
  }
  leg.begun = s.first > 0;
  const auto last = leg.begun ? find(edge.announced, leg.flits.back()) : edge.announced.end();
  leg.last_arrival = last == edge.announced.end() ? 0_fs : last->time;
  set_passed(edge, transaction, false);
  hold(edge, transaction, kNever);
}

void ProtocolChecker::end(Edge& edge, const Transaction& transaction, Leg which) {
  const LegKey key{transaction.id, which};
  LegState& leg = edge.legs[key];
  const auto wrong = [&](const char* what) {
    complain(edge.to, edge.from,
             fmt::format("sends an END for the {} (transaction {}) {}", request_text(transaction, context_.graph),
                         transaction.id, what),
             kProtocol);
  };
  if (!leg.begun) wrong("which has not begun, or has ended");
  if (leg.ended) wrong("twice");
  if (transaction.leg_flits(which) == 0) wrong("which has no flits");
  if (leg.flits.size() != transaction.leg_flits(which)) wrong("before all its flits are announced");
  if (now() < leg.last_arrival) wrong("before its last flit arrives");
  leg.ended = true;
  edge.from.held.erase(cause_of(edge, transaction, which));
  if (enforces()) edge.legs.erase(key);
}

// The leg that a node must have received for a leg that it sends: the same leg or, at the end of the route, the
// request.
ProtocolChecker::LegKey ProtocolChecker::cause_of(const Edge& edge, const Transaction& transaction, Leg leg) {
  const bool answer = leg == Leg::response && transaction.route->nodes.back() == edge.from.id;
  return {transaction.id, answer ? Leg::request : leg};
}

void ProtocolChecker::hold(Edge& edge, const Transaction& transaction, TimeFs complete) {
  const Leg leg = transaction.segment.leg;
  const bool ends_here = leg == Leg::response && transaction.route->nodes.front() == edge.to.id;
  if (edge.to.judged && !ends_here) edge.to.held[{transaction.id, leg}] = {&transaction, leg, &edge, complete, false};
}

void ProtocolChecker::set_passed(Edge& edge, const Transaction& transaction, bool passed) {
  const auto found = edge.from.held.find(cause_of(edge, transaction, transaction.segment.leg));
  if (found != edge.from.held.end()) found->second.passed = passed;
}

TimeFs ProtocolChecker::departure(const Edge& edge, const Transaction& transaction, std::uint32_t i) const {
  const Segment& s = transaction.segment;
  const std::uint32_t flits = transaction.leg_flits(s.leg);
  const TimeFs arrival = s.time + i * s.spacing - edge.propagation;
  if (flits == 0) return arrival;
  const bool last = s.first + i + 1 == flits;
  return arrival - edge.bw.occupancy(last ? transaction.last_flit_bytes : context_.pool.flit_bytes());
}

void ProtocolChecker::check_cause(const Edge& edge, const Transaction& transaction) {
  const Segment& s = transaction.segment;
  const bool begins_here = s.leg == Leg::request && transaction.route->nodes.front() == edge.from.id;
  if (!edge.from.judged || begins_here) return;
  const auto found = edge.from.held.find(cause_of(edge, transaction, s.leg));
  if (found == edge.from.held.end()) {
    return complain(edge, transaction, "is sent without having come, or a second time", kOnce);
  }
  const Held& held = found->second;
  if (held.leg != s.leg) {
    if (departure(edge, transaction, 0) < held.complete) {
      complain(edge, transaction, "leaves before the request has arrived", kInTime);
    }
    return;
  }
  if (transaction.leg_flits(s.leg) == 0) {
    if (departure(edge, transaction, 0) < held.complete) {
      complain(edge, transaction, "leaves before it has arrived", kInTime);
    }
    return;
  }
  const auto leg = held.edge->legs.find(found->first);
  if (leg == held.edge->legs.end()) return;  // the last flit has arrived
  const std::deque<LinkArrival>& announced = held.edge->announced;
  const std::vector<std::uint64_t>& flits = leg->second.flits;
  for (std::uint32_t i = 0; i < s.count && s.first + i < leg->second.expected; ++i) {
    const bool known = s.first + i < flits.size();
    const auto flit = known ? find(announced, flits[s.first + i]) : announced.end();
    if (known && (flit == announced.end() || flit->time <= departure(edge, transaction, i))) continue;
    return complain(edge, transaction, fmt::format("has flit {} leave before it has arrived", s.first + i), kInTime);
  }
}

std::vector<std::string> ProtocolChecker::finish() {
  for (const auto& [ends, edge] : edges_) {
    for (const auto& [key, leg] : edge.legs) {
      if (leg.begun && (leg.expected == 0 || (leg.ended && leg.flits.size() == leg.expected))) continue;
      problems_.push_back(fmt::format("{} -> {}: {} of #{} stays open", record(ends.first).id, record(ends.second).id,
                                      key.second == Leg::request ? "request" : "response", key.first));
    }
  }
  return problems_;
}

std::vector<LinkArrival> ProtocolChecker::arrivals(NodeId from, NodeId to) const {
  const auto found = edges_.find({from, to});
  if (found == edges_.end()) return {};
  return {found->second.announced.begin(), found->second.announced.end()};
}

// Names the oldest one. Control messages and transfers that end in a PE are answered when other blocks have finished.
void ProtocolChecker::throw_if_a_block_stalls() const {
  const Held* oldest = nullptr;
  for (const auto& [id, node] : nodes_) {
    for (const auto& [key, held] : node.held) {
      const Transaction& transaction = *held.transaction;
      const bool ends_here = held.leg == Leg::request && transaction.route->nodes.back() == id;
      const bool answers = transaction.op != payload::Op::message && !topology::is_pe_block(record(id).kind);
      if (held.passed || held.complete > now() || (ends_here && !answers)) continue;
      if (oldest == nullptr || held.complete < oldest->complete) oldest = &held;
    }
  }
  if (oldest == nullptr) return;
  const NodeId node = oldest->edge->to.id;
  const bool ends_here = oldest->leg == Leg::request && oldest->transaction->route->nodes.back() == node;
  throw Error(ErrorFamily::model, "BLOCK_ERROR",
              fmt::format("{} ({}) {} {}the {} (transaction {}), which came from {} and was complete at {} ns; nothing "
                          "can happen any more at {} ns; call depart() for {}",
                          record(node).id, record(node).impl, ends_here ? "never answers" : "never passes on",
                          oldest->leg == Leg::response ? "the answer to " : "",
                          request_text(*oldest->transaction, context_.graph), oldest->transaction->id,
                          record(oldest->edge->from.id).id, format_ns(oldest->complete), format_ns(now()),
                          ends_here ? "its response()" : "every arrival"));
}

}  // namespace kb::modules
