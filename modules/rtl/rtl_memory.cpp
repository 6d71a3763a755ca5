#include "modules/rtl/rtl_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"
#include "platform/elab/foreign_call.h"

namespace kb::modules {

using payload::Leg;
using payload::Op;
using payload::Transaction;

namespace {

std::uint8_t log2_of(std::uint64_t power) {
  std::uint8_t log = 0;
  while (power >> log > 1) ++log;
  return log;
}

}  // namespace

const std::vector<std::string>& memory_pins() {
  static const std::vector<std::string> names{"open",    "busy",    "arvalid", "arready", "rvalid", "rready",
                                              "awvalid", "awready", "wvalid",  "wready",  "bvalid", "bready"};
  return names;
}

const params::FieldTable& RtlMemoryParams::fields() {
  using P = RtlMemoryParams;
  static const params::FieldTable table =
      params::Fields<P>()
          .add("clock_ghz", &P::clock, "clock of the memory")
          .add("phase_ns", &P::phase, "time of its first rising edge")
          .add("read_latency", &P::read_latency, at_least(0, 65535), "cycles from an address to the first beat")
          .add("write_latency", &P::write_latency, at_least(0, 65535), "cycles from the last beat to the answer")
          .add("beat_bytes", &P::beat_bytes, at_least(0, AxiPort::kMaxBeatBytes),
               "bytes of a beat, a power of two; 0: the width of the data")
          .add("ids", &P::ids, at_least(1, 1 << AxiPort::kMaxIdBits), "ids that transactions take in turn")
          .add("max_reads", &P::max_reads, at_least(1, 1 << 20), "read bursts that the memory has not answered")
          .add("max_writes", &P::max_writes, at_least(1, 1 << 20), "write bursts that the memory has not answered")
          .add("verify", &P::verify, "compare the data that the memory gives back with what was written")
          .add("gate", &P::gate, {"on", "off"}, "whether the clock stands still while nothing is asked and busy is 0")
          .add("pins", &P::pins, "show the pins as signals of SystemC, which means gate: off")
          .add("check_unknown", &P::check_unknown, "look for outputs that depend on what was never written")
          .add("hang_cycles", &P::hang_cycles, at_least(1, 1e9), "cycles without a transfer after which a memory hangs")
          .add("busy_when", &P::busy_when, "pins that say that the resource `rtl` is busy")
          .add("stall_when", &P::stall_when, "pins that say that it stalls what comes in")
          .table();
  return table;
}

RtlMemory::RtlMemory(const sc_core::sc_module_name& name, NodeId node, const RtlMemoryParams& params,
                     const RtlMaker<IAxiMemory>& make, elab::BlockContext& context)
    : ArrivalNode(name, node, context),
      overhead_(node_record().overhead),
      params_(params),
      clock_(params.clock, params.phase),
      memory_(make(RtlFill::zeros)),
      shadow_(params.check_unknown ? make(RtlFill::ones) : nullptr),
      port_(memory_->port()),
      beat_size_(log2_of(params.beat_bytes == 0 ? port_.beat_bytes : static_cast<std::uint64_t>(params.beat_bytes))),
      manager_(port_, static_cast<std::size_t>(params.max_reads), static_cast<std::size_t>(params.max_writes)),
      use_(declare(PinUse::declaration(resource::Role::memory)), params.busy_when.condition(),
           params.stall_when.condition()) {
  check_port(params);
  if (params.verify) scoreboard_ = std::make_unique<AxiScoreboard>(port_);
  const IAxiMemory::Straps straps{static_cast<std::uint16_t>(params.read_latency),
                                  static_cast<std::uint16_t>(params.write_latency)};
  memory_->reset(straps);
  if (shadow_ != nullptr) shadow_->reset(straps);
  if (params.pins) {
    const PinPlace place{node_id(), context.shared<PinSharing>(), context.scheduler};
    signals_ = std::make_unique<AxiSignals>("pins", place, port_, clock_, static_cast<IPinSource&>(*this));
  }
  if (context.observer != nullptr) pins_ = std::make_unique<AxiPins>(*context.observer, node_id());
}

void RtlMemory::check_port(const RtlMemoryParams& params) const {
  const std::int64_t beat = std::int64_t{1} << beat_size_, width = port_.beat_bytes,
                     ids = std::int64_t{1} << port_.id_bits;
  if (params.beat_bytes != 0 && (params.beat_bytes != beat || beat > width)) {
    throw Error::configuration(
        fmt::format("beat_bytes is {}, but has to be a power of two that fits the {} bytes of "
                    "the data pins; use {}",
                    params.beat_bytes, width, std::min(beat, width)));
  }
  if (beat != width && !port_.strobes) {
    throw Error::configuration(
        fmt::format("beat_bytes is {}, but this memory has no strobes and takes beats of {} "
                    "bytes; use {}",
                    beat, width, width));
  }
  if (params.ids > ids) {
    throw Error::configuration(
        fmt::format("ids is {}, but the ids of this memory have {} bits; use {}", params.ids, port_.id_bits, ids));
  }
}

void RtlMemory::on_arrival(const Arrival& arrival) {
  Transaction& transaction = arrival.transaction();
  if (transaction.op == Op::message) {
    transaction.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
    depart(response(transaction), arrival.time() + overhead_);
    return;
  }
  arrived_.push_back(arrival);
  if (signals_ != nullptr) signals_->resume();
  if (edge_ != kNever) return;
  edge_ = clock_.edge_after(now());
  wake_at(edge_);
}

void RtlMemory::on_wake() {
  if (now() != edge_) return;
  if (!gated()) {
    const std::int64_t number = clock_.number(edge_);
    skip_to(number);
    next_number_ = number + 1;
  }
  while (!arrived_.empty() && arrived_.front().time() < now()) {
    start(arrived_.front());
    arrived_.pop_front();
  }
  edge();
}

// Simulates the idle edges since the last one.
void RtlMemory::skip_to(std::int64_t number) {
  for (; next_number_ < number; ++next_number_) {
    ++clocked_;
    try {
      clock();
    } catch (const Error& error) {
      fail(error, next_number_);
    }
  }
}

void RtlMemory::show_edge(std::int64_t number) {
  elab::call_block(node_record(), context().scheduler, [&] { skip_to(number + 1); });
  signals_->show(shown_manager_, shown_memory_);
}

std::uint8_t RtlMemory::next_id() {
  return static_cast<std::uint8_t>(used_ids_++ % static_cast<std::uint32_t>(params_.ids));
}

void RtlMemory::start(const Arrival& arrival) {
  Transaction& transaction = arrival.transaction();
  use_.enter(transaction.place, transaction.op == Op::read ? transaction.bytes : arrival.bytes());
  if (transaction.op == Op::read) {
    ++read_count_;
    const std::uint8_t id = next_id();
    for (std::uint32_t i = 0; i < transaction.leg_flits(Leg::response); ++i) {
      access(transaction, i, arrival.time(), id);
    }
    return;
  }
  if (arrival.is_first()) {
    ++write_count_;
    writes_[&transaction] = {transaction.leg_flits(Leg::request), next_id()};
  }
  access(transaction, arrival.index(), arrival.time(), writes_.at(&transaction).id);
}

void RtlMemory::access(Transaction& transaction, std::uint32_t index, TimeFs since, std::uint8_t id) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    accesses_.emplace_back();
  }
  const std::uint32_t token = free_.back();
  free_.pop_back();
  Access& access = accesses_[token];
  access = {&transaction, index, 0, since};
  const auto flit = context().pool.flit_bytes();
  std::uint64_t first = transaction.address + index * flit;
  std::uint64_t end = transaction.address + std::min((index + 1) * flit, transaction.bytes);
  if (!port_.strobes) {  // whole beats
    first = first / port_.beat_bytes * port_.beat_bytes;
    end = (end + port_.beat_bytes - 1) / port_.beat_bytes * port_.beat_bytes;
  }
  for_each_axi_burst(first, end, beat_size_, [&](AxiBurst burst) {
    burst.token = token;
    burst.id = id;
    ++access.bursts;
    if (transaction.op == Op::read) {
      manager_.read(burst);
    } else {
      manager_.write(burst);
    }
  });
}

void RtlMemory::edge() {
  ++clocked_;
  AxiManager::Done done;
  try {
    done = clock();
    watch(done.moved);
  } catch (const Error& error) {
    fail(error, clock_.number(edge_));
  }
  if (done.read) finish(*done.read);
  if (done.write) finish(*done.write);
  const TimeFs next = edge_ + clock_.period();
  edge_ = !manager_.idle() || memory_->busy() || !arrived_.empty() ? next : kNever;
  if (edge_ != kNever) {
    wake_at(edge_);
  } else {
    use_.flush();
    if (pins_ != nullptr) pins_->rest(next);
  }
}

void RtlMemory::tell_use(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  const std::array<bool, 12> pins{!manager_.idle(), memory.busy,    manager.arvalid, memory.arready,
                                  memory.rvalid,    manager.rready, manager.awvalid, memory.awready,
                                  manager.wvalid,   memory.wready,  memory.bvalid,   manager.bready};
  std::array<std::uint64_t, pins.size()> values;
  std::transform(pins.begin(), pins.end(), values.begin(), pin_value);
  use_.cycle(now() - clock_.period(), now(), values.data());
}

void RtlMemory::conclude() {
  ArrivalNode::conclude();
  use_.flush();
}

AxiManager::Done RtlMemory::clock() {
  const AxiManagerPins& driven = manager_.step();
  const AxiMemoryPins pins = memory_->settle(driven);
  if (shadow_ != nullptr) {
    const char* const signal = difference(pins, shadow_->settle(driven));
    if (signal != nullptr) {
      throw rtl_error(RtlFault::unknown, std::string(signal) + " depends on a register that was never written (X)");
    }
  }
  rules_.check(driven, pins);
  if (scoreboard_ != nullptr) scoreboard_->observe(driven, pins);
  if (edge_ == now()) tell_use(driven, pins);
  const AxiManager::Done done = manager_.apply(driven, pins);
  if (signals_ != nullptr) {
    shown_manager_ = driven;
    shown_memory_ = pins;
  }
  memory_->rise();
  if (shadow_ != nullptr) shadow_->rise();
  if (pins_ != nullptr && edge_ == now()) pins_->edge(now(), driven, pins, memory_->busy());
  return done;
}

void RtlMemory::finish(std::uint64_t token) {
  Access& access = accesses_[token];
  if (--access.bursts > 0) return;
  Transaction& transaction = *access.transaction;
  const std::uint32_t index = access.index;
  access.transaction = nullptr;
  free_.push_back(static_cast<std::uint32_t>(token));
  if (transaction.op == Op::read) {
    depart(response(transaction, index), now());
    return;
  }
  const auto left = writes_.find(&transaction);
  if (--left->second.left > 0) return;
  writes_.erase(left);
  transaction.delivered = now();
  depart(response(transaction), now());
}

void RtlMemory::watch(bool moved) {
  silent_ = moved ? 0 : silent_ + 1;
  const std::int64_t most = params_.hang_cycles + std::max(params_.read_latency, params_.write_latency);
  if (silent_ <= most) return;
  throw rtl_error(RtlFault::hang,
                  fmt::format("{}, and nothing was transferred for {} cycles (hang_cycles and the latency)",
                              manager_.idle() ? "busy is 1, although nothing is asked" : "accesses are open", most));
}

void RtlMemory::fail(const Error& error, std::int64_t number) const {
  const TimeFs at = params_.phase.time() + number * clock_.period();
  throw Error(error.family(), error.code(), fmt::format("at edge {}, {} ns, {}", number, format_ns(at), error.what()));
}

void RtlMemory::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  ArrivalNode::collect_statistics(statistics);
  if (clocked_ == 0) return;
  statistics.push_back({"reads", read_count_, "1"});
  statistics.push_back({"writes", write_count_, "1"});
  statistics.push_back({"rtl_cycles", clocked_, "1"});
  if (scoreboard_ != nullptr) statistics.push_back({"rtl_compared", scoreboard_->compared(), "B"});
}

void RtlMemory::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  ArrivalNode::collect_waits(waits);
  for (const Access& access : accesses_) {
    if (access.transaction == nullptr) continue;
    waits.push_back(
        {node_id(), "the RTL for a flit of " + request_text(*access.transaction, context().graph), access.since});
  }
}

elab::BlockDefinition rtl_memory_block(topology::NodeKind kind, const std::string& impl, RtlMaker<IAxiMemory> make) {
  const elab::BlockFactory factory = [make = std::move(make)](
                                         const sc_core::sc_module_name& name, NodeId node,
                                         elab::BlockContext& context) -> std::unique_ptr<elab::Block> {
    const topology::Node& record = context.graph.node(node);
    return std::make_unique<RtlMemory>(name, node, record.impl_params.as<RtlMemoryParams>(), make, context);
  };
  return {kind, impl, RtlMemoryParams::fields(), factory};
}

}  // namespace kb::modules
