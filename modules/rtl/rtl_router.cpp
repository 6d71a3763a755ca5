#include "modules/rtl/rtl_router.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"
#include "platform/elab/foreign_call.h"
#include "platform/elab/route_table.h"
#include "platform/topology/coordinates.h"

namespace kb::modules {

const std::vector<std::string>& router_pins() {
  static const std::vector<std::string> names{"in_valid", "in_taken", "out_valid", "out_ready", "busy"};
  return names;
}

const params::FieldTable& RtlRouterParams::fields() {
  using P = RtlRouterParams;
  static const params::FieldTable table =
      params::Fields<P>()
          .add("clock_ghz", &P::clock, "clock of the router")
          .add("phase_ns", &P::phase, "time of its first rising edge")
          .add("fifo_depth", &P::fifo_depth, at_least(1, IRouterModel::kMaxDepth), "flits in the queue of an input")
          .add("gate", &P::gate, {"on", "off"}, "whether the clock stands still while nothing is inside")
          .add("pins", &P::pins, "show the pins as signals of SystemC, which means gate: off")
          .add("check_unknown", &P::check_unknown, "look for outputs that depend on what was never written")
          .add("hang_cycles", &P::hang_cycles, at_least(1, 1e9), "cycles without progress after which a router hangs")
          .add("busy_when", &P::busy_when, "pins that say that the resource `rtl` is busy")
          .add("stall_when", &P::stall_when, "pins that say that it stalls what comes in")
          .table();
  return table;
}

RtlRouter::RtlRouter(const sc_core::sc_module_name& name, NodeId node, const params::ForwardingParams& kind,
                     const RtlRouterParams& params, const RtlMaker<IRouterModel>& make, elab::BlockContext& context)
    : ArrivalNode(name, node, context),
      overhead_(kind.overhead.time()),
      params_(params),
      clock_(params.clock, params.phase),
      rtl_(make, params.check_unknown),
      use_(declare(PinUse::declaration(resource::Role::queue)), params.busy_when.condition(),
           params.stall_when.condition()) {
  for (const elab::PortMap::Port& port : context.ports.ports(node)) {
    const bool messages_only = context.graph.edge(port.out).kind == topology::EdgeKind::command;
    lane_of_port_.push_back(messages_only ? kNoLane : static_cast<std::uint32_t>(lanes_.size()));
    if (messages_only) continue;
    lanes_.emplace_back();
    lanes_.back().port = static_cast<std::uint16_t>(lane_of_port_.size() - 1);
  }
  if (lanes_.size() > IRouterModel::kPorts) {
    throw Error::configuration(
        fmt::format("it has {} neighbours that send flits, and the RTL {} ports; leave this "
                    "router as it is, or attach less to it",
                    lanes_.size(), IRouterModel::kPorts));
  }
  show_pins();
  if (params.pins) {
    const PinPlace place{node_id(), context.shared<PinSharing>(), context.scheduler};
    signals_ = std::make_unique<RouterSignals>("pins", place, clock_, static_cast<IPinSource&>(*this));
  }
  in_.fifo_depth = static_cast<std::uint8_t>(params.fifo_depth);
  rtl_.reset(in_.fifo_depth);
}

void RtlRouter::show_pins() {
  if (context().observer == nullptr) return;
  std::vector<std::string> neighbours;
  const auto& ports = context().ports.ports(node());
  for (const Lane& lane : lanes_) {
    const topology::Graph& graph = context().graph;
    neighbours.push_back(topology::short_name(graph, graph.node(ports[lane.port].neighbour), graph.node(node())));
  }
  pins_ = std::make_unique<RouterPins>(*context().observer, node_id(), neighbours);
}

void RtlRouter::on_arrival(const Arrival& flit) {
  if (flit.is_message()) {
    depart(flit, flit.time() + overhead_);
    return;
  }
  Lane& lane = lanes_[lane_of(flit.in_port(), flit)];
  lane.waiting.push_back(flit);
  most_waiting_ = std::max(most_waiting_, lane.waiting.size());
  if (signals_ != nullptr) signals_->resume();
  if (edge_ != kNever) return;
  edge_ = clock_.edge_after(now());
  wake_at(edge_);
}

std::uint32_t RtlRouter::lane_of(std::uint16_t port, const Arrival& flit) const {
  if (lane_of_port_[port] == kNoLane) {
    throw Error::model(
        fmt::format("flits of the {} use a link for messages", request_text(flit.transaction(), context().graph)));
  }
  return lane_of_port_[port];
}

void RtlRouter::on_wake() {
  if (now() != edge_) return;
  const std::int64_t number = clock_.number(edge_);
  if (params_.gate == RtlGate::off || signals_ != nullptr) skip_to(number);
  next_number_ = number + 1;
  offer();
  edge();
}

// Simulates the idle edges since the last one.
void RtlRouter::skip_to(std::int64_t number) {
  in_.in_valid = 0;
  for (; next_number_ < number; ++next_number_) {
    ++clocked_;
    const IRouterModel::Outputs& pins = clock();
    in_.out_ready = 0;
    if (pins.out_valid != 0 || pins.busy) {
      fail(RtlFault::wrong, fmt::format("{} is 1 behind the edge at {} ns, although nothing is inside; the clock of "
                                        "such a router cannot stand still",
                                        pins.busy ? "busy" : "out_valid",
                                        format_ns(params_.phase.time() + next_number_ * clock_.period())));
    }
  }
}

const IRouterModel::Outputs& RtlRouter::clock() {
  const IRouterModel::Outputs& pins = rtl_.clock(in_);
  if (signals_ != nullptr) {
    shown_in_ = in_;
    shown_out_ = std::exchange(out_, pins);
  }
  return pins;
}

void RtlRouter::show_edge(std::int64_t number) {
  elab::call_block(node_record(), context().scheduler, [&] { skip_to(number + 1); });
  signals_->show(shown_in_, shown_out_, out_.in_ready);
}

// Offers the flits that arrived strictly before this edge.
void RtlRouter::offer() {
  in_.in_valid = 0;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (lane.waiting.empty() || lane.waiting.front().time() >= now()) continue;
    const Arrival& flit = lane.waiting.front();
    if (lane.offered == 0) lane.offered = enter(flit, lane_of(flit.out_port(), flit));
    in_.in_flit[i] = lane.offered;
    in_.in_valid = static_cast<std::uint8_t>(in_.in_valid | (1u << i));
  }
}

std::uint64_t RtlRouter::enter(const Arrival& flit, std::uint32_t out_lane) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(inside_.size()));
    inside_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  inside_[slot] = {flit, true};
  use_.enter(flit.transaction().place, flit.bytes());
  return RtlFlit::pack(flit.is_last(), flit.is_first(), out_lane, std::uint64_t{slot} + 1);
}

void RtlRouter::edge() {
  ++clocked_;
  const IRouterModel::Outputs* pins = nullptr;
  try {
    pins = &clock();
  } catch (const Error& error) {
    fail(RtlFault::unknown, error.what());
  }
  tell_use(*pins);
  if (pins_ != nullptr) pins_->edge(now(), in_, *pins);
  bool waits = false;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if ((pins->taken >> i & 1u) != 0) {
      lane.waiting.pop_front();
      lane.offered = 0;
    }
    waits = waits || !lane.waiting.empty();
  }
  take_outputs(*pins);
  const TimeFs next = edge_ + clock_.period();
  edge_ = pins->busy || pins->out_valid != 0 || waits ? next : kNever;
  if (edge_ != kNever) {
    wake_at(edge_);
  } else {
    use_.flush();
    if (pins_ != nullptr) pins_->rest(next);
  }
}

// Pins in the cycle that this edge ends.
void RtlRouter::tell_use(const IRouterModel::Outputs& pins) {
  const std::array<std::uint64_t, 5> values{in_.in_valid, pins.taken, shown_valid_, in_.out_ready,
                                            pin_value(was_busy_)};
  use_.cycle(now() - clock_.period(), now(), values.data());
  shown_valid_ = pins.out_valid;
  was_busy_ = pins.busy;
}

void RtlRouter::conclude() {
  ArrivalNode::conclude();
  use_.flush();
}

void RtlRouter::take_outputs(const IRouterModel::Outputs& pins) {
  bool moved = pins.taken != 0;
  if (pins.out_valid >> lanes_.size() != 0) {
    fail(RtlFault::wrong, fmt::format("out_valid is {:#04x}, but only {} ports have a neighbour",
                                      static_cast<unsigned>(pins.out_valid), lanes_.size()));
  }
  std::uint8_t ready = 0;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const bool valid = (pins.out_valid >> i & 1u) != 0;
    if (lane.shown != 0 && (!valid || pins.out_flit[i] != lane.shown)) {
      fail(RtlFault::wrong, fmt::format("out_flit of port {} changes, although out_ready is 0", i));
    }
    if (!valid) continue;
    moved = true;  // or it waits for its wire, which is not a fault of the RTL
    if (take_output(lane, i, pins.out_flit[i])) ready = static_cast<std::uint8_t>(ready | (1u << i));
  }
  in_.out_ready = ready;
  watch(moved);
}

// Returns true when the flit leaves before the next edge.
bool RtlRouter::take_output(Lane& lane, std::uint32_t index, std::uint64_t flit) {
  const std::uint64_t slot = RtlFlit::tag(flit) - 1;
  if (slot >= inside_.size() || !inside_[slot].used) {
    fail(RtlFault::wrong, fmt::format("out_flit of port {} is {:#018x}, whose tag is of no flit inside", index, flit));
  }
  const Arrival& what = inside_[slot].flit;
  const std::uint64_t wanted = RtlFlit::pack(what.is_last(), what.is_first(), lane_of(what.out_port(), what), slot + 1);
  if (flit != wanted || what.out_port() != lane.port) {
    fail(RtlFault::wrong, fmt::format("out_flit of port {} is {:#018x}, but went in as {:#018x}", index, flit, wanted));
  }
  lane.shown = wire_free(lane.port) < now() + clock_.period() ? 0 : flit;
  if (lane.shown != 0) return false;
  depart(what, now());
  ++flits_;
  inside_[slot].used = false;
  free_.push_back(static_cast<std::uint32_t>(slot));
  return true;
}

void RtlRouter::watch(bool moved) {
  silent_ = moved ? 0 : silent_ + 1;
  if (silent_ <= params_.hang_cycles) return;
  const bool inside = free_.size() < inside_.size();
  fail(RtlFault::hang, fmt::format("busy is 1, {}, and for {} cycles nothing has come in or out (hang_cycles)",
                                   inside ? "flits are inside" : "nothing is inside", params_.hang_cycles));
}

void RtlRouter::fail(RtlFault fault, const std::string& what) const {
  throw rtl_error(fault, fmt::format("behind edge {} at {} ns {}", clock_.number(edge_), format_ns(now()), what));
}

void RtlRouter::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  ArrivalNode::collect_statistics(statistics);
  if (clocked_ == 0) return;
  statistics.push_back({"rtl_cycles", clocked_, "1"});
  statistics.push_back({"rtl_flits", flits_, "flits"});
  statistics.push_back({"rtl_most_waiting", static_cast<std::int64_t>(most_waiting_), "flits"});
}

void RtlRouter::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  ArrivalNode::collect_waits(waits);
  for (const Inside& inside : inside_) {
    if (!inside.used) continue;
    waits.push_back({node_id(), "the RTL for a flit of " + request_text(inside.flit.transaction(), context().graph),
                     inside.flit.time()});
  }
}

elab::BlockDefinition rtl_router_block(const std::string& impl, RtlMaker<IRouterModel> make) {
  const elab::BlockFactory factory = [make = std::move(make)](
                                         const sc_core::sc_module_name& name, NodeId node,
                                         elab::BlockContext& context) -> std::unique_ptr<elab::Block> {
    const topology::Node& record = context.graph.node(node);
    return std::make_unique<RtlRouter>(name, node, record.params.as<params::ForwardingParams>(),
                                       record.impl_params.as<RtlRouterParams>(), make, context);
  };
  return {topology::NodeKind::noc_router, impl, RtlRouterParams::fields(), factory};
}

}  // namespace kb::modules
