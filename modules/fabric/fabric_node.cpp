#include "modules/fabric/fabric_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "modules/fabric/foreign_links.h"
#include "modules/fabric/request_text.h"
#include "platform/base/error.h"
#include "platform/elab/route_table.h"
#include "platform/record/activity_recorder.h"
#include "platform/routing/latency.h"

namespace kb::modules {

using payload::Leg;
using payload::Segment;
using payload::Transaction;

namespace {
TimeFs last_time(const Segment& s) {
  return s.time + (s.count - 1) * s.spacing;
}
std::uint64_t last_sequence(const Segment& s) {
  return s.sequence + (s.count - 1) * s.sequence_step;
}
// True when `next`, a segment of the same leg, can become part of `segment`.
bool continues(const Segment& segment, const Segment& next) {
  if (next.first != segment.first + segment.count) return false;
  const TimeFs gap = next.time - last_time(segment);
  const std::uint64_t step = next.sequence - last_sequence(segment);
  return (segment.count == 1 || (gap == segment.spacing && step == segment.sequence_step)) &&
         (next.count == 1 || (gap == next.spacing && step == next.sequence_step));
}
}  // namespace

FabricNode::FabricNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : Block(name, node, context),
      scheduler_(context.scheduler),
      logged_(logs(contract::LogLevel::info)),
      followed_(context.hops != nullptr) {
  out.bind(static_cast<tlm::tlm_bw_transport_if<payload::FabricProtocol>&>(*this));
  in.bind(static_cast<tlm::tlm_fw_transport_if<payload::FabricProtocol>&>(*this));
  const auto& neighbours = context.ports.ports(node);
  ports_.resize(neighbours.size());
  for (std::size_t p = 0; p < neighbours.size(); ++p) {
    const topology::Edge& edge = context.graph.edge(neighbours[p].out);
    Wire::Params params;
    params.flit_bytes = static_cast<std::uint32_t>(context.pool.flit_bytes());
    params.bw = edge.bw;
    params.occupancy = params.bw.occupancy(params.flit_bytes);
    params.propagation = routing::propagation_fs(edge, context.graph.spec.ns_per_mm);
    params.keep_until_sent = node_record().kind == topology::NodeKind::pe_dma;
    ports_[p].wire.configure(params);
    ports_[p].link.neighbour = neighbours[p].neighbour;
    if (context.recorder != nullptr && params.occupancy > 0_fs) {
      ports_[p].wire.record_in(
          context.recorder->add_resource({node, record::Role::wire, "to", ports_[p].link.neighbour, 0,
                                          record::ActivityRecorder::group_of(node_record().sip)}));
    }
    if (context.hops != nullptr) ports_[p].wire.follow(*context.hops, node, ports_[p].link.neighbour);
    if (context.observer != nullptr) {
      ports_[p].wire.observe(*context.observer, node_id(), "to_" + context.graph.node(ports_[p].link.neighbour).id);
    }
  }
  if (context.observer != nullptr) context.observer->add_late(*this);
}

void FabricNode::bind_out(EdgeId, elab::Block& neighbour) {
  auto* const peer = static_cast<FabricNode*>(neighbour.fabric_side());
  if (peer == nullptr) {
    throw Error::model("edge " + node_id() + " -> " + neighbour.node_id() +
                       " joins the fabric to a block that is not on it");
  }
  const std::uint16_t port = context().ports.port_towards(node(), peer->node());
  const std::uint16_t peer_port = context().ports.port_towards(peer->node(), node());
  ports_[port].out_index = bound_out_++;
  peer->ports_[peer_port].in_index = peer->bound_in_++;
  out.bind(peer->in);
}

void FabricNode::end_of_elaboration() {
  for (Port& port : ports_) {
    if (port.out_index < 0 || port.in_index < 0) {
      throw Error::model("port of " + node_id() + " towards " + context().graph.node(port.link.neighbour).id +
                         " is not bound");
    }
    port.link.forward = out[port.out_index];
    port.link.backward = in[port.in_index];
  }
  if (context().check_foreign) watch_foreign_links(*this, context());
}

TimeFs FabricNode::report_until(TimeFs now) {
  TimeFs until = now;
  for (std::uint16_t p = 0; p < port_count(); ++p) {
    Wire& wire = ports_[p].wire;
    if (wire.has_waves()) until = std::min(until, wire.show_until(now, first_waiting(p)));
  }
  return until;
}

void FabricNode::conclude() {
  for (Port& port : ports_) port.wire.retire(kNever);
}

tlm::tlm_sync_enum FabricNode::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
  return receive(payload, phase);
}

tlm::tlm_sync_enum FabricNode::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
  return receive(payload, phase);
}

void FabricNode::b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) {
  throw Error::model(node_id() + " got a blocking transport call; the fabric is approximately timed (nb_transport)");
}

unsigned FabricNode::transport_dbg(tlm::tlm_generic_payload& payload) {
  return context().debug_transport ? context().debug_transport(payload) : 0;
}

bool FabricNode::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.init();
  return false;  // a direct access would bypass the modelled contention
}

void FabricNode::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

tlm::tlm_sync_enum FabricNode::receive(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ || phase == tlm::END_RESP) return tlm::TLM_ACCEPTED;
  Transaction& transaction = Transaction::of(payload);
  const Segment& segment = transaction.segment;
  const std::uint16_t port = previous_port(transaction, segment.leg, segment.hop);
  if (phase == payload::SHORTEN) {
    on_rollback(port, transaction, segment.leg, segment.first);
    return tlm::TLM_ACCEPTED;
  }
  FlitStream stream;
  stream.transaction = &transaction;
  stream.time = segment.time;
  stream.spacing = segment.spacing;
  stream.sequence = segment.sequence;
  stream.sequence_step = segment.sequence_step;
  stream.first = segment.first;
  stream.count = segment.count;
  stream.in_port = port;
  stream.hop = segment.hop;
  stream.leg = segment.leg;
  stream.out_port = next_port(transaction, segment.leg, segment.hop);
  stream.place = transaction.place;
  if (stream.time <= now()) {
    throw Error::model(node_id() + " was told of an arrival at " + format_ns(stream.time) + " ns, not after now (" +
                       format_ns(now()) + " ns)");
  }
  if (logged_ && stream.first == 0) log_header(stream);
  if (transaction.leg_flits(segment.leg) == 0) {
    on_message(transaction, stream);
    return tlm::TLM_COMPLETED;
  }
  on_flits(stream);
  return tlm::TLM_ACCEPTED;
}

void FabricNode::log_header(const FlitStream& header) const {
  log(contract::LogLevel::debug, [&] {
    const Transaction& transaction = *header.transaction;
    return fmt::format(
        "will get the header of {}transaction {}, {}{}, at {} ns", header.leg == Leg::response ? "the answer to " : "",
        transaction.id, request_text(transaction, context().graph),
        transaction.initiator == nullptr ? "" : transaction.initiator->origin(transaction), format_ns(header.time));
  });
}

void FabricNode::commit(const FlitStream* streams, std::size_t count, TimeFs floor) {
  Wire& wire = ports_[streams->out_port].wire;
  wire.retire(now());
  if (__builtin_expect(wire.fits(streams, count, floor), 1)) {
    wire.commit(streams, count, floor, *this);
  } else {
    pass_end(*streams->transaction);
  }
}

void FabricNode::pass_end(const Transaction& transaction) const {
  std::string what = "the " + request_text(transaction, context().graph);
  if (transaction.initiator != nullptr) what += transaction.initiator->origin(transaction);
  scheduler().pass_end(what + ", now at " + node_id() + ",");
}

void FabricNode::commit(const FlitStream& flits, TimeFs floor) {
  split_by_size(flits, [&](const FlitStream& stream) { commit(&stream, 1, floor); });
}

void FabricNode::on_committed(const FlitStream& flits, const Segment& segment) {
  if (outbox_ != nullptr) {
    outbox_->add(flits.out_port, *flits.transaction, segment);
  } else {
    announce(flits.out_port, *flits.transaction, segment);
  }
}

void FabricNode::SegmentBuffer::add(std::uint16_t port, Transaction& transaction, const Segment& s) {
  for (std::size_t i = count_; i-- > 0;) {
    Held& held = held_[i];
    if (held.transaction != &transaction || held.segment.leg != s.leg) continue;
    if (continues(held.segment, s)) {
      held.segment.spacing = s.time - last_time(held.segment);
      held.segment.sequence_step = s.sequence - last_sequence(held.segment);
      held.segment.count += s.count;
    } else {
      node_.announce(port, transaction, held.segment);
      held.segment = s;
    }
    return;
  }
  if (count_ == kMaxHeld) flush();
  Held& held = held_[count_++];
  held.transaction = &transaction;
  held.segment = s;
  held.port = port;
  __builtin_prefetch(&transaction.hops[s.hop]);
  node_.prefetch_neighbour(port);
}

// Prefetches the part of the neighbour that receive() and fabric blocks read first, beginning with its interfaces.
void FabricNode::prefetch_neighbour(std::uint16_t port) const {
  constexpr int kHotBytes = 320, kCacheLine = 64;
  const auto* const begin = reinterpret_cast<const char*>(ports_[port].link.forward);
  for (int i = 0; i < kHotBytes; i += kCacheLine) __builtin_prefetch(begin + i);
}

void FabricNode::SegmentBuffer::flush() {
  for (std::size_t i = 0; i < count_; ++i) node_.announce(held_[i].port, *held_[i].transaction, held_[i].segment);
  count_ = 0;
}

void FabricNode::announce(std::uint16_t port, Transaction& transaction, const Segment& s) {
  const tlm::tlm_phase phase = s.first != 0            ? tlm::tlm_phase(payload::SEGMENT)
                               : s.leg == Leg::request ? tlm::tlm_phase(tlm::BEGIN_REQ)
                                                       : tlm::tlm_phase(tlm::BEGIN_RESP);
  transmit(port, transaction, s, phase);
}

void FabricNode::transmit(std::uint16_t port, Transaction& transaction, const Segment& segment,
                          const tlm::tlm_phase& phase) {
  transaction.segment = segment;
  tlm::tlm_phase p = phase;
  sc_core::sc_time no_delay;
  if (segment.leg == Leg::request) {
    ports_[port].link.forward->nb_transport_fw(transaction.payload(), p, no_delay);
  } else {
    ports_[port].link.backward->nb_transport_bw(transaction.payload(), p, no_delay);
  }
}

void FabricNode::cut(std::uint16_t port, const ArrivalKey& limit) {
  Wire& wire = ports_[port].wire;
  wire.retire(now());
  if (!wire.has_at_or_after(limit)) return;
  flush();
  // A rollback may return to this node through other legs, so that the collected rollbacks are a stack.
  const std::size_t outer_base = rollback_base_;
  const std::size_t base = rollbacks_.size();
  rollback_base_ = base;
  wire.cut(limit, *this);
  for (std::size_t i = base; i < rollbacks_.size(); ++i) {
    const Rollback w = rollbacks_[i];
    transmit(port, *w.transaction, w.segment, payload::SHORTEN);
  }
  rollbacks_.resize(base);
  rollback_base_ = outer_base;
}

void FabricNode::on_cut(const FlitStream& rolled_back, const TimeWindow& window) {
  roll_back(rolled_back);
  // A cut of a long queue affects many transactions, so that each stores its position in the list. Only one leg has
  // flits.
  const std::size_t place = rolled_back.transaction->rollback_slot;
  if (place >= rollback_base_ && place < rollbacks_.size() &&
      rollbacks_[place].transaction == rolled_back.transaction) {
    Rollback& w = rollbacks_[place];
    TimeWindow all = window_of(w.segment);
    all.include(window);
    w.segment.time = all.from;
    w.segment.spacing = all.until - all.from;
    w.segment.first = std::min(w.segment.first, rolled_back.first);
    w.segment.count += rolled_back.count;
    return;
  }
  Segment segment;
  segment.leg = rolled_back.leg;
  segment.first = rolled_back.first;
  segment.count = rolled_back.count;
  segment.time = window.from;
  segment.spacing = window.until - window.from;
  segment.hop = rolled_back.next_hop();
  rolled_back.transaction->rollback_slot = static_cast<std::uint32_t>(rollbacks_.size());
  rollbacks_.push_back({rolled_back.transaction, segment});
}

void FabricNode::send_message(std::uint16_t port, Transaction& transaction, Leg leg, std::uint16_t hop, TimeFs ready,
                              const ArrivalKey& key) {
  flush();
  Segment segment;
  segment.leg = leg;
  segment.hop = static_cast<std::uint16_t>(leg == Leg::request ? hop + 1 : hop - 1);
  ports_[port].wire.retire(now());
  ports_[port].wire.send_message(ready, key, segment);
  if (followed_) follow_message(port, transaction, leg, hop, ready, segment.time);
  transmit(port, transaction, segment, leg == Leg::request ? tlm::BEGIN_REQ : tlm::BEGIN_RESP);
}

// A message occupies no time on the wire and is never rolled back.
void FabricNode::follow_message(std::uint16_t port, const Transaction& transaction, Leg leg, std::uint16_t hop,
                                TimeFs ready, TimeFs arrived) {
  if (!context().hops->follows(transaction)) return;
  const TimeFs start = arrived - ports_[port].wire.params().propagation;
  ports_[port].wire.follow_message(
      {transaction.id, node(), ports_[port].link.neighbour, leg, hop, 0, ready, start, start, arrived, start - ready});
}

void FabricNode::slip_message(std::uint16_t port, Transaction& transaction, Leg leg, std::uint16_t hop, TimeFs ready) {
  flush();
  Segment segment;
  segment.leg = leg;
  segment.hop = static_cast<std::uint16_t>(leg == Leg::request ? hop + 1 : hop - 1);
  ports_[port].wire.retire(now());
  ports_[port].wire.slip_message(ready, segment);
  if (followed_) follow_message(port, transaction, leg, hop, ready, segment.time);
  transmit(port, transaction, segment, leg == Leg::request ? tlm::BEGIN_REQ : tlm::BEGIN_RESP);
}

void FabricNode::send_end(std::uint16_t port, Transaction& transaction, Leg leg) {
  sc_core::sc_time no_delay;
  tlm::tlm_phase phase = leg == Leg::request ? tlm::END_REQ : tlm::END_RESP;
  if (leg == Leg::request) {
    ports_[port].link.backward->nb_transport_bw(transaction.payload(), phase, no_delay);
  } else {
    ports_[port].link.forward->nb_transport_fw(transaction.payload(), phase, no_delay);
  }
}

std::uint64_t FabricNode::flit_hops() {
  std::uint64_t sum = 0;
  for (Port& port : ports_) {
    port.wire.retire(now());
    sum += port.wire.statistics().flits;
  }
  return sum;
}

void FabricNode::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  for (const Port& port : ports_) {
    const Wire::Statistics& s = port.wire.statistics();
    if (s.flits == 0 && s.messages == 0) continue;
    const topology::Node& neighbour = context().graph.node(port.link.neighbour);
    const auto add = [&](const char* what, std::int64_t value, const char* unit) {
      statistics.push_back({"to_" + neighbour.id + "." + what, value, unit});
      statistics.back().purpose = "to_" + std::string(node_kind_name(neighbour.kind)) + "." + what;
    };
    add("busy", s.busy.fs(), "ns");
    add("bytes", static_cast<std::int64_t>(s.bytes), "B");
    add("flits", static_cast<std::int64_t>(s.flits), "flits");
    add("messages", static_cast<std::int64_t>(s.messages), "1");
    add("max_queue", static_cast<std::int64_t>(port.wire.deepest_queue()), "flits");
    add("max_wait", s.longest_wait.fs(), "ns");
  }
}

}  // namespace kb::modules
