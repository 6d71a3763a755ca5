#include "modules/fabric/fabric_node.h"

#include <algorithm>

#include "platform/base/error.h"
#include "platform/elab/route_table.h"
#include "platform/routing/latency.h"

namespace kb::modules {

using payload::Leg;
using payload::Segment;
using payload::Transaction;

FabricNode::FabricNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
    : Block(name, node, context), out("out"), in("in") {
  out.register_nb_transport_bw(this, &FabricNode::receive_backward);
  in.register_nb_transport_fw(this, &FabricNode::receive_forward);
  in.register_transport_dbg(this, &FabricNode::transport_debug);
  const auto& neighbours = context.ports.ports(node);
  ports_.resize(neighbours.size());
  for (std::size_t p = 0; p < neighbours.size(); ++p) {
    const topology::Edge& edge = context.graph.edge(neighbours[p].out);
    Channel::Params params;
    params.flit_bytes = static_cast<std::uint32_t>(context.pool.flit_bytes());
    params.bw_gbs = edge.bw_gbs.value_or(0.0);
    params.occupancy = occupancy_fs(params.flit_bytes, params.bw_gbs);
    params.propagation = routing::propagation_fs(edge, context.graph.spec.ns_per_mm);
    params.keep_until_sent = node_record().kind == topology::NodeKind::pe_dma;
    ports_[p].channel.configure(params);
    ports_[p].neighbour = neighbours[p].neighbour;
    if (context.observer != nullptr) {
      const std::string to = "to_" + context.graph.node(ports_[p].neighbour).id;
      ports_[p].busy_signal = context.observer->declare(node_id(), to + ".busy", 1);
      ports_[p].queue_signal = context.observer->declare(node_id(), to + ".queue", 16);
      ports_[p].channel.observe(context.observer, ports_[p].busy_signal, ports_[p].queue_signal);
    }
  }
}

void FabricNode::bind_out(EdgeId edge, elab::Block& neighbour) {
  auto* peer = dynamic_cast<FabricNode*>(&neighbour);
  if (peer == nullptr) {
    throw Error::model("edge " + node_id() + " -> " + neighbour.node_id() +
                       " joins the fabric to a block that is not on it");
  }
  (void)edge;
  const std::uint16_t port = context().ports.port_towards(node(), peer->node());
  const std::uint16_t peer_port = context().ports.port_towards(peer->node(), node());
  ports_[port].out_index = static_cast<int>(port_of_out_.size());
  port_of_out_.push_back(port);
  peer->ports_[peer_port].in_index = static_cast<int>(peer->port_of_in_.size());
  peer->port_of_in_.push_back(peer_port);
  out.bind(peer->in);
}

void FabricNode::end_of_elaboration() {
  for (Port& port : ports_) {
    if (port.out_index < 0 || port.in_index < 0) {
      throw Error::model("port of " + node_id() + " towards " + context().graph.node(port.neighbour).id +
                         " is not bound");
    }
    port.forward = out[port.out_index];
    port.backward = in[port.in_index];
  }
}

void FabricNode::end_of_simulation() {
  for (Port& port : ports_) port.channel.settle(kNever);
}

tlm::tlm_sync_enum FabricNode::receive_forward(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
  return receive(port_of_in_[static_cast<std::size_t>(index)], payload, phase);
}

tlm::tlm_sync_enum FabricNode::receive_backward(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time&) {
  return receive(port_of_out_[static_cast<std::size_t>(index)], payload, phase);
}

unsigned FabricNode::transport_debug(int, tlm::tlm_generic_payload& payload) {
  return context().debug_transport ? context().debug_transport(payload) : 0;
}

tlm::tlm_sync_enum FabricNode::receive(std::uint16_t port, tlm::tlm_generic_payload& payload,
                                       const tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ || phase == tlm::END_RESP) return tlm::TLM_ACCEPTED;
  Transaction& transaction = *payload.get_extension<Transaction>();
  const Segment& segment = transaction.segment;
  if (phase == payload::SHORTEN) {
    on_withdrawn(port, transaction, segment.leg, segment.first);
    return tlm::TLM_ACCEPTED;
  }
  FlitRun run;
  run.transaction = &transaction;
  run.time = segment.time;
  run.spacing = segment.spacing;
  run.sequence = segment.sequence;
  run.first = segment.first;
  run.count = segment.count;
  run.in_port = port;
  run.hop = segment.hop;
  run.leg = segment.leg;
  run.out_port = next_port(transaction, segment.leg, segment.hop);
  if (run.time <= now()) {
    throw Error::model(node_id() + " was promised an arrival at " + format_ns(run.time) + " ns, not after now (" +
                       format_ns(now()) + " ns)");
  }
  if (transaction.leg_flits(segment.leg) == 0) {
    on_message(transaction, run);
    return tlm::TLM_COMPLETED;
  }
  on_flits(run);
  return tlm::TLM_ACCEPTED;
}

void FabricNode::commit(const FlitRun& flits, TimeFs floor) {
  Channel& wire = ports_[flits.out_port].channel;
  wire.settle(now());
  Transaction& transaction = *flits.transaction;
  const std::uint32_t full = wire.params().flit_bytes;
  const bool short_tail = flits.has_last_flit() && transaction.last_flit_bytes != full;
  const std::uint16_t receiver = static_cast<std::uint16_t>(flits.leg == Leg::request ? flits.hop + 1 : flits.hop - 1);
  const auto send = [&](const FlitRun& part, std::uint32_t flit_bytes) {
    Segment segments[2];
    const int n = wire.commit(part, floor, flit_bytes, segments);
    for (int i = 0; i < n; ++i) {
      segments[i].hop = receiver;
      emit(flits.out_port, transaction, segments[i]);
    }
  };
  if (!short_tail) {
    send(flits, full);
    return;
  }
  if (flits.count > 1) {
    FlitRun body = flits;
    --body.count;
    send(body, full);
  }
  send(flits.tail(flits.count - 1), transaction.last_flit_bytes);
}

void FabricNode::emit(std::uint16_t port, Transaction& transaction, const Segment& s) {
  if (held_transaction_ == &transaction && held_port_ == port && held_.leg == s.leg &&
      held_.first + held_.count == s.first &&
      held_.sequence + std::uint64_t{held_.count} * payload::kSequenceStep == s.sequence) {
    const TimeFs step = s.time - (held_.time + static_cast<TimeFs>(held_.count - 1) * held_.spacing);
    if ((held_.count == 1 || step == held_.spacing) && (s.count == 1 || step == s.spacing)) {
      held_.spacing = step;
      held_.count += s.count;
      return;
    }
  }
  flush();
  held_transaction_ = &transaction;
  held_port_ = port;
  held_ = s;
}

void FabricNode::flush() {
  if (held_transaction_ == nullptr) return;
  Transaction& transaction = *held_transaction_;
  held_transaction_ = nullptr;
  const bool begin = held_.first == 0;
  const tlm::tlm_phase phase = !begin                      ? tlm::tlm_phase(payload::SEGMENT)
                               : held_.leg == Leg::request ? tlm::tlm_phase(tlm::BEGIN_REQ)
                                                           : tlm::tlm_phase(tlm::BEGIN_RESP);
  transmit(held_port_, transaction, held_, phase);
}

void FabricNode::transmit(std::uint16_t port, Transaction& transaction, const Segment& segment,
                          const tlm::tlm_phase& phase) {
  transaction.segment = segment;
  tlm::tlm_phase p = phase;
  sc_core::sc_time no_delay;
  if (segment.leg == Leg::request) {
    ports_[port].forward->nb_transport_fw(transaction.payload(), p, no_delay);
  } else {
    ports_[port].backward->nb_transport_bw(transaction.payload(), p, no_delay);
  }
}

void FabricNode::cut(std::uint16_t port, const ArrivalKey& limit) {
  Channel& wire = ports_[port].channel;
  wire.settle(now());
  if (!wire.has_at_or_after(limit)) return;
  flush();
  // A withdrawal can come back to this node through other legs, so the gathered ones are kept as a stack.
  const std::size_t outer_base = withdrawal_base_;
  const std::size_t base = withdrawals_.size();
  withdrawal_base_ = base;
  wire.cut(limit, *this);
  for (std::size_t i = base; i < withdrawals_.size(); ++i) {
    const Withdrawal w = withdrawals_[i];
    transmit(port, *w.transaction, w.segment, payload::SHORTEN);
  }
  withdrawals_.resize(base);
  withdrawal_base_ = outer_base;
}

void FabricNode::on_cut(const FlitRun& withdrawn) {
  take_back(withdrawn);
  if (withdrawals_.size() > withdrawal_base_ && withdrawals_.back().transaction == withdrawn.transaction &&
      withdrawals_.back().segment.leg == withdrawn.leg) {
    withdrawals_.back().segment.first = withdrawn.first;
    return;
  }
  Segment segment;
  segment.leg = withdrawn.leg;
  segment.first = withdrawn.first;
  segment.hop = static_cast<std::uint16_t>(withdrawn.leg == Leg::request ? withdrawn.hop + 1 : withdrawn.hop - 1);
  withdrawals_.push_back({withdrawn.transaction, segment});
}

void FabricNode::send_message(std::uint16_t port, Transaction& transaction, Leg leg, std::uint16_t hop, TimeFs ready,
                              const ArrivalKey& key) {
  flush();
  Segment segment;
  segment.leg = leg;
  segment.hop = static_cast<std::uint16_t>(leg == Leg::request ? hop + 1 : hop - 1);
  ports_[port].channel.settle(now());
  ports_[port].channel.send_message(ready, key, segment);
  transmit(port, transaction, segment, leg == Leg::request ? tlm::BEGIN_REQ : tlm::BEGIN_RESP);
}

void FabricNode::slip_message(std::uint16_t port, Transaction& transaction, Leg leg, std::uint16_t hop, TimeFs ready) {
  flush();
  Segment segment;
  segment.leg = leg;
  segment.hop = static_cast<std::uint16_t>(leg == Leg::request ? hop + 1 : hop - 1);
  ports_[port].channel.settle(now());
  ports_[port].channel.slip_message(ready, segment);
  transmit(port, transaction, segment, leg == Leg::request ? tlm::BEGIN_REQ : tlm::BEGIN_RESP);
}

void FabricNode::send_end(std::uint16_t port, Transaction& transaction, Leg leg) {
  sc_core::sc_time no_delay;
  tlm::tlm_phase phase = leg == Leg::request ? tlm::END_REQ : tlm::END_RESP;
  if (leg == Leg::request) {
    ports_[port].backward->nb_transport_bw(transaction.payload(), phase, no_delay);
  } else {
    ports_[port].forward->nb_transport_fw(transaction.payload(), phase, no_delay);
  }
}

std::uint64_t FabricNode::flit_hops() {
  std::uint64_t sum = 0;
  for (Port& port : ports_) {
    port.channel.settle(now());
    sum += port.channel.statistics().flits;
  }
  return sum;
}

void FabricNode::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  for (const Port& port : ports_) {
    const Channel::Statistics& s = port.channel.statistics();
    if (s.flits == 0 && s.messages == 0) continue;
    const std::string to = "to_" + context().graph.node(port.neighbour).id + ".";
    statistics.push_back({to + "busy", s.busy, "ns"});
    statistics.push_back({to + "bytes", static_cast<std::int64_t>(s.bytes), "B"});
    statistics.push_back({to + "flits", static_cast<std::int64_t>(s.flits), "flits"});
    statistics.push_back({to + "messages", static_cast<std::int64_t>(s.messages), "1"});
    statistics.push_back({to + "max_queue", static_cast<std::int64_t>(s.deepest_queue), "flits"});
    statistics.push_back({to + "max_wait", s.longest_wait, "ns"});
  }
}

}  // namespace kb::modules
