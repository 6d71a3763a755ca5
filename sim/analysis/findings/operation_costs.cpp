#include "sim/analysis/findings/operation_costs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "platform/address/address_space.h"
#include "platform/contract/command.h"
#include "platform/contract/i_translator.h"
#include "platform/contract/requests.h"
#include "platform/params/pe_ipcq_params.h"
#include "platform/plan/pipeline_plan.h"
#include "sim/analysis/findings/time_union.h"

namespace kb::sim {
namespace {

using contract::Command;
using contract::CommandKind;

constexpr std::array<std::string_view, 3> kMessageNames{"ipcq_send", "ipcq_copy", "ipcq_recv"};

// Duration of the overlap of [begin, end) and [start, stop).
TimeFs overlap(TimeFs begin, TimeFs end, TimeFs start, TimeFs stop) {
  return std::max(0_fs, std::min(end, stop) - std::max(begin, start));
}

}  // namespace

OperationCosts::OperationCosts(const topology::Graph& graph)
    : graph_(graph), read_bw_(graph.nodes.size()), write_bw_(graph.nodes.size()) {}

template <typename F>
OperationCost& OperationCosts::cost_of(std::size_t key, F&& name) {
  std::unique_ptr<OperationCost>& cost = costs_[key];
  if (cost == nullptr) {
    cost = std::make_unique<OperationCost>();
    cost->name = name();
  }
  return *cost;
}

OperationCost& OperationCosts::cost_of(const Command& command) {
  if (const auto number = operation_number(command)) {
    return cost_of(*number, [&command] { return operation_name(command); });
  }
  for (auto& [row, cost] : of_plugins_) {
    if (row == command.row) return cost;
  }
  of_plugins_.emplace_back(command.row, OperationCost{});
  of_plugins_.back().second.name = operation_name(command);
  return of_plugins_.back().second;
}

void OperationCosts::add(OperationCost& cost, NodeId component, TimeFs start, TimeFs end, TimeFs needed) {
  const TimeFs time = end - start;
  ++cost.count;
  accumulate(cost.time, time);
  if (cost.waiting) accumulate(*cost.waiting, std::max(0_fs, time - needed));
  if (cost.count > 1 && time <= cost.longest) return;
  cost.longest = time;
  cost.longest_start = start;
  cost.longest_at = graph_.node(component).pe_coord();
}

// Time of the bytes of a transfer on the widest wire of a node.
TimeFs OperationCosts::transfer_time(NodeId node, bool into, std::uint64_t bytes) {
  Bandwidth& bw = (into ? read_bw_ : write_bw_)[node.value];
  if (!bw.limited()) {
    const auto [begin, end] = into ? graph_.in_edges(node) : graph_.out_edges(node);
    for (const EdgeId* edge = begin; edge != end; ++edge) bw = wider_limit(bw, graph_.edge(*edge).bw);
  }
  return bw.occupancy(bytes);
}

void OperationCosts::on_command(NodeId component, const Command& command, const contract::ITranslator* translator,
                                TimeFs start, TimeFs end) {
  OperationCost& cost = cost_of(command);
  if (contract::is_composite(command.kind)) cost.waiting.reset();
  if (command.kind == CommandKind::barrier) keep(barrier_waits_, {component, command.scope, start, end});
  const bool reads = command.kind == CommandKind::dma_read, moves = reads || command.kind == CommandKind::dma_write;
  add(cost, component, start, end, moves ? transfer_time(component, reads, total_bytes(command.local)) : end - start);
  next_->on_command(component, command, translator, start, end);
}

void OperationCosts::on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) {
  const plan::Stage& stage = tile.stage;
  const bool reads = stage.type == plan::StageType::dma_read, moves = reads || stage.type == plan::StageType::dma_write;
  const auto type = static_cast<std::size_t>(stage.type);
  add(cost_of(kStages + type, [&stage] { return "TileToken/" + std::string(plan::stage_type_name(stage.type)); }),
      component, start, end, moves ? transfer_time(component, reads, stage.nbytes) : end - start);
  next_->on_stage(component, tile, start, end);
}

void OperationCosts::on_message(NodeId component, const MessageCopy& copy, const contract::ITranslator* translator,
                                TimeFs start, TimeFs end) {
  const auto step = static_cast<std::size_t>(copy.step);
  OperationCost& cost = cost_of(kMessages + step, [step] { return std::string(kMessageNames.at(step)); });
  add(cost, component, start, end, copy.step == MessageStep::copy ? end - start : 0_fs);
  const std::vector<Extent>& at_slot = copy.step == MessageStep::receive ? copy.source : copy.destination;
  if (!at_slot.empty()) note_message(component, copy.step, at_slot.front(), start, end);
  next_->on_message(component, copy, translator, start, end);
}

// The latest waits are kept: what a launch waited for at its end is followed back.
template <typename Wait>
void OperationCosts::keep(std::deque<Wait>& waits, Wait wait) {
  if (waits.size() >= kMaxWaits) {
    complete_since_ = std::max(complete_since_, waits.front().end);
    waits.pop_front();
  }
  waits.push_back(wait);
}

void OperationCosts::note_message(NodeId component, MessageStep step, const Extent& at_slot, TimeFs start, TimeFs end) {
  const std::uint64_t address = address::value_of(at_slot.pa);
  Slot& slot = slots_[address];
  if (step == MessageStep::send) {
    slot.sender = component;
    slot.sent = start;
    slot.arrived = end;
    slot.bytes = std::max<std::uint64_t>(slot.bytes, at_slot.nbytes);
    const TimeFs since = start + graph_.node(component).params.as<params::PeIpcqParams>().overhead.time();
    if (end > since) keep(slot_waits_, {component, address, since, end});
  } else if (step == MessageStep::copy) {
    slot.arrived = end;
  } else {
    slot.receiver = component;
    if (slot.sender.valid()) keep(receives_, {component, slot.sender, start, end, slot.sent, slot.arrived});
  }
}

template <typename F>
void OperationCosts::for_each_slot(const PeCoord& sender, const PeCoord& receiver, F&& f) const {
  for (const auto& [address, slot] : slots_) {
    if (!slot.sender.valid() || !slot.receiver.valid()) continue;
    const bool between =
        graph_.node(slot.sender).pe_coord() == sender && graph_.node(slot.receiver).pe_coord() == receiver;
    if (between) f(address, slot);
  }
}

std::uint64_t OperationCosts::largest_message(const PeCoord& sender, const PeCoord& receiver) const {
  std::uint64_t bytes = 0;
  for_each_slot(sender, receiver, [&](std::uint64_t, const Slot& slot) { bytes = std::max(bytes, slot.bytes); });
  return bytes;
}

// Slots of a queue lie one behind the other, as far apart as they are large.
bool OperationCosts::fill_slots(const PeCoord& sender, const PeCoord& receiver) const {
  std::vector<std::uint64_t> addresses;
  for_each_slot(sender, receiver, [&](std::uint64_t address, const Slot&) { addresses.push_back(address); });
  std::sort(addresses.begin(), addresses.end());
  std::uint64_t size = 0;  // 0: not known
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    const std::uint64_t apart = addresses[i] - addresses[i - 1];
    size = size == 0 ? apart : std::min(size, apart);
  }
  return size > 0 && largest_message(sender, receiver) >= size;
}

void OperationCosts::on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                                      TimeFs at) {
  next_->on_scratch_write(component, pa, dtype, std::move(bytes), at);
}

void OperationCosts::on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) {
  next_->on_host_write(component, write, start, end);
}

std::vector<std::byte> OperationCosts::kernel_read(const std::vector<Extent>& extents) {
  return next_->kernel_read(extents);
}

std::optional<std::vector<std::byte>> OperationCosts::read_if_known(const std::vector<Extent>& extents) {
  return next_->read_if_known(extents);
}

std::vector<OperationCost> OperationCosts::most_expensive(std::size_t count) const {
  std::vector<OperationCost> sorted;
  for (const std::unique_ptr<OperationCost>& cost : costs_) {
    if (cost != nullptr && cost->time > 0_fs) sorted.push_back(*cost);
  }
  for (const auto& [row, cost] : of_plugins_) {
    if (cost.time > 0_fs) sorted.push_back(cost);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const OperationCost& a, const OperationCost& b) { return a.time > b.time; });
  if (sorted.size() > count) sorted.resize(count);
  return sorted;
}

TimeFs OperationCosts::waited_for_slots(const PeCoord& sender, const PeCoord& receiver, TimeFs begin,
                                        TimeFs end) const {
  TimeUnion waited;
  for (const SlotWait& wait : slot_waits_) {
    const NodeId to = slots_.at(wait.slot).receiver;
    if (!to.valid() || !(graph_.node(to).pe_coord() == receiver)) continue;
    if (graph_.node(wait.at).pe_coord() == sender) waited.add(std::max(begin, wait.start), std::min(end, wait.end));
  }
  return waited.time();
}

TimeFs OperationCosts::waited(const PeCoord& pe, TimeFs begin, TimeFs end) const {
  TimeUnion waited;
  const auto add = [&](NodeId at, TimeFs start, TimeFs stop) {
    if (graph_.node(at).pe_coord() == pe) waited.add(std::max(begin, start), std::min(end, stop));
  };
  for (const MessageReceive& receive : receives_) add(receive.receiver, receive.start, receive.end);
  for (const SlotWait& wait : slot_waits_) add(wait.at, wait.start, wait.end);
  for (const BarrierWait& wait : barrier_waits_) add(wait.at, wait.start, wait.end);
  // What was not kept may have been waiting.
  waited.add(begin, std::min(end, complete_since_));
  return waited.time();
}

void OperationCosts::add_senders(std::set<SipId>& sips, TimeFs begin, TimeFs end) const {
  std::set<std::pair<SipId, SipId>> sent;  // to, from
  for (const MessageReceive& receive : receives_) {
    if (overlap(begin, end, receive.start, receive.end) == 0_fs) continue;
    const SipId to = graph_.node(receive.receiver).sip, from = graph_.node(receive.sender).sip;
    if (to != from) sent.insert({to, from});
  }
  for (std::size_t before = 0; before != sips.size();) {
    before = sips.size();
    for (const auto& [to, from] : sent) {
      if (sips.count(to) != 0) sips.insert(from);
    }
  }
}

}  // namespace kb::sim
