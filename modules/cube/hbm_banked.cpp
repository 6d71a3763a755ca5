#include "modules/cube/hbm_banked.h"

#include <fmt/format.h>

#include "modules/fabric/request_text.h"
#include "platform/base/error.h"

namespace kb::modules {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using resource::CauseClass;

namespace {

// In the order of dram::Cause.
std::vector<resource::Cause> causes() {
  return {{"row", CauseClass::conflict, "another row of the bank was open, or its row was being opened",
           "give the rows of the tensor another pitch (padding), read more bytes of each, or set hash: xor"},
          {"activation", CauseClass::rate, "rows cannot be opened faster (tFAW, tRRD)",
           "read more bytes of each row: wider tiles, or a map with more column bits below the banks"},
          {"column_bus", CauseClass::order, "the channel served other bursts"},
          {"bank_group", CauseClass::conflict, "accesses that follow one another went to one bank group (tCCDL)",
           "put the bank group into lower bits of map, or let more accesses be under way"},
          {"row_bus", CauseClass::rate, "row commands cannot be issued faster",
           "read more bytes of each row: wider tiles, or a map with more column bits below the banks"},
          {"refresh", CauseClass::refresh, "a refresh was due",
           "set refresh: per_bank, or more response_entries, so that others are served meanwhile; postpone moves it"},
          {"turnaround", CauseClass::conflict, "the data bus changed its direction",
           "load and store in longer runs, or let the controller gather writes (write_entries, high, low)"},
          {"hazard", CauseClass::order, "an older access to the same bytes was queued"},
          {"write_drain", CauseClass::conflict, "the channel served the other direction",
           "load and store in longer runs, or change how writes are gathered (high, low)"},
          {"queue_full", CauseClass::full, "the queue of the channel was full"},
          {"response_full", CauseClass::full, "read data waited for the edge to the router"},
          {"other", CauseClass::other, "the clock of the memory had to begin"}};
}

resource::Declaration declaration(const params::HbmCtrlParams& kind) {
  return {params::kChannelResource,
          resource::Role::memory,
          static_cast<std::uint32_t>(kind.num_pcs),
          "The data bus of the pseudo-channel moves an access.",
          causes(),
          resource::Told::by_block};
}

// Hand-made machines have no slices.
std::uint64_t slice_bytes(const topology::MachineSpec& spec) {
  return spec.hbm_bytes_per_cube == 0 ? ~std::uint64_t{0} : spec.hbm_slice_bytes();
}

TimeFs bus_time(const params::HbmBankedParams& params) {
  const dram::Standard standard = params.standard();
  return standard.timing.bl * standard.tck;
}

}  // namespace

HbmBanked::HbmBanked(const sc_core::sc_module_name& name, NodeId node, const params::HbmCtrlParams& kind,
                     const params::HbmBankedParams& params, elab::BlockContext& context)
    : FabricNode(name, node, context),
      overhead_(kind.overhead.time()),
      stripe_(address::channel_stripe(kind)),
      slice_bytes_(slice_bytes(context.graph.spec)),
      burst_bytes_(static_cast<std::uint32_t>(kind.burst_bytes)),
      by_burst_(burst_bytes_),
      by_channels_(stripe_.channels()),
      on_bus_(bus_time(params)),
      channels_(channel_config(params), static_cast<std::size_t>(kind.num_pcs) / dram::kPcs),
      use_(declare(declaration(kind))),
      opened_(node, context),
      lanes_(port_count()),
      uses_(static_cast<std::size_t>(kind.num_pcs)) {
  assign_ports(kind);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    dram::Channel& channel = channels_.channel(i);
    channel.collect_data();
    channel.count_activations_in(opened_.counts());
    if (context.dram != nullptr) channel.trace_to(&context.dram->channel(node_id(), params.standard()));
  }
}

void HbmBanked::assign_ports(const params::HbmCtrlParams& kind) {
  for (Lane& lane : lanes_) {
    lane.port = static_cast<std::uint16_t>(&lane - lanes_.data());
    lane.reads.configure(kind.read_order == params::ReadOrder::fair);
    const topology::Node& neighbour = context().graph.node(link(lane.port).neighbour);
    if (neighbour.kind == topology::NodeKind::channel_router) {
      lane.pc = static_cast<std::uint32_t>(neighbour.channel.value());
    }
  }
}

void HbmBanked::on_flits(FlitStream& flits) {
  lanes_[flits.in_port].writes.add(flits);
  wake_at(channels_.latest_push(flits.time));
}

void HbmBanked::on_message(Transaction& t, const FlitStream& message) {
  const TimeFs open = time_sum(message.time, overhead_);
  if (t.op == Op::read && t.flits > 0) {
    lanes_[message.in_port].commands.push_back(message);
    wake_at(channels_.latest_push(open));
    return;
  }
  if (t.op == Op::message) t.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
  departures_.push({open, message.sequence, &t, kNoFlit, message.in_port});
  wake_at(open);
}

void HbmBanked::on_rollback(std::uint16_t port, Transaction& transaction, Leg leg, std::uint32_t first) {
  lanes_[port].writes.roll_back(transaction, leg, first, now());
}

void HbmBanked::roll_back(const FlitStream&) {
  throw Error::model(node_id() + " was asked to take back data that are final");
}

void HbmBanked::on_event(TimeFs now, std::uint64_t) {
  if (now != wake_time_) return;
  wake_time_ = kNever;
  prefetch();
  SegmentBuffer outbox(*this);
  take_until(now);
  outbox.flush();
  tell_uses(now, use_.is_shown() ? 1 : kToldTogether);
  schedule_wake();
}

void HbmBanked::prefetch() const {
  channels_.prefetch();
  for (const Lane& lane : lanes_) {
    for (std::size_t i = 0; i < std::min(lane.commands.size(), kMostPrefetched); ++i) {
      const Transaction& t = *lane.commands[i].transaction;
      t.prefetch();
      __builtin_prefetch(&t.hbm_offset);
    }
  }
}

void HbmBanked::take_until(TimeFs now) {
  while (horizon_ < now) {
    for (Lane& lane : lanes_) {
      lane.reads.retry([&](const ReadIssuer::Command& c) { return channels_.next_entry(channel_of_next(c)); });
    }
    TimeFs from = horizon_;
    if (channels_.is_idle()) from = std::max(from, std::min(now, next_item().time));
    const TimeFs to = std::min(now, from + channels_.frontend());
    for (Item item = next_item(); item.time <= to; item = next_item()) take(item);
    channels_.advance(
        to, [&](std::size_t channel) { take_data(channel); },
        [&](std::size_t channel, const dram::Answer& answer) { on_answer(channel, answer); });
    depart(channels_.final_until());
    horizon_ = to;
  }
}

TimeFs HbmBanked::next_write(const Lane& lane) const {
  if (lane.writes.empty()) return kNever;
  const FlitStream& flits = lane.writes.front();
  return std::max(flits.time, lane.write_floor) + (flits.first == 0 ? overhead_ : 0_fs);
}

// At equal times commands open first; then ports in order, writes before reads.
HbmBanked::Item HbmBanked::next_item() {
  Item first;
  const auto offer = [&](const Item& item) {
    if (item.before(first)) first = item;
  };
  for (Lane& lane : lanes_) {
    if (!lane.commands.empty()) offer({time_sum(lane.commands.front().time, overhead_), Item::Kind::command, &lane});
    offer({next_write(lane), Item::Kind::write, &lane});
    offer({lane.reads.next_slot(), Item::Kind::read, &lane});
  }
  return first;
}

void HbmBanked::take(const Item& item) {
  switch (item.kind) {
    case Item::Kind::command:
      return open_command(*item.lane);
    case Item::Kind::write:
      return enter_write(*item.lane, item.time);
    case Item::Kind::read:
      return issue_read(*item.lane);
  }
}

void HbmBanked::open_command(Lane& lane) {
  const FlitStream message = lane.commands.front();
  lane.commands.pop_front();
  Transaction& t = *message.transaction;
  lane.reads.add(t, message.time + overhead_, target_of(lane, t, 0));
  ++reads_served_;
  bytes_read_ += t.bytes;
  log(contract::LogLevel::info,
      [&] { return fmt::format("accepts transaction {}, {}", t.id, request_text(t, context().graph)); });
}

void HbmBanked::enter_write(Lane& lane, TimeFs at) {
  const FlitStream flit = lane.writes.take(1);
  Transaction& t = *flit.transaction;
  if (flit.first == 0) {
    ++writes_served_;
    bytes_written_ += t.bytes;
  }
  lane.write_floor = at;
  if (flit.has_last_flit()) send_end(lane.port, t, Leg::request);
  send(lane, t, flit.first, target_of(lane, t, flit.first), at, flit.place);
}

TimeFs HbmBanked::time_on_edge(Lane& lane, std::uint32_t bytes) {
  const auto time = [&](std::uint32_t count) { return wire_at(lane.port).params().bw.occupancy(count); };
  if (bytes != burst_bytes_) return time(bytes);
  if (lane.whole_burst == 0_fs) lane.whole_burst = time(bytes);
  return lane.whole_burst;
}

void HbmBanked::issue_read(Lane& lane) {
  const TimeFs slot = lane.reads.next_slot();
  ReadIssuer::Command* const command =
      lane.reads.choose([&](const ReadIssuer::Command& c) { return channels_.has_entry(channel_of_next(c), slot); },
                        [&](const ReadIssuer::Command& c) { return channels_.next_entry(channel_of_next(c)); });
  if (command == nullptr) return;
  Transaction& t = *command->transaction;
  const std::uint32_t flit = command->next;
  const Target target = command->target;
  if (command->passed_over < slot) {
    use_.add_wait(target.pc, t.place, slot - command->passed_over, dram::index(dram::Cause::queue_full));
  }
  if (flit + 1 < t.flits) command->target = target_of(lane, t, flit + 1);
  lane.reads.issue(*command, time_on_edge(lane, flit_bytes(t, flit)));
  send(lane, t, flit, target, slot, t.place);
}

std::uint32_t HbmBanked::flit_bytes(const Transaction& t, std::uint32_t flit) const {
  return flit + 1 == t.flits ? t.last_flit_bytes : burst_bytes_;
}

HbmBanked::Target HbmBanked::target_of(const Lane& lane, const Transaction& t, std::uint32_t flit) const {
  if (t.hbm_offset - slice_ >= slice_bytes_) {
    slice_ = t.hbm_offset / slice_bytes_ * slice_bytes_;
    group_of_slice_ = by_channels_(by_burst_(slice_));
  }
  const std::uint64_t first = by_burst_(t.hbm_offset), in_burst = t.hbm_offset - first * burst_bytes_;
  const bool by_address = lane.pc == kByAddress;  // else bursts of one channel follow one another
  const std::uint64_t group = by_address ? by_channels_(first + flit) : by_channels_(first) + flit;
  Target target;
  target.pc = by_address ? stripe_.channel_of_burst(first + flit) : lane.pc;
  target.address = (group - group_of_slice_) * burst_bytes_;
  if (in_burst + flit_bytes(t, flit) <= burst_bytes_) target.address += in_burst;
  return target;
}

std::uint32_t HbmBanked::new_flit(Transaction& transaction, std::uint32_t index, const Lane& lane) {
  if (free_flits_.empty()) {
    free_flits_.push_back(static_cast<std::uint32_t>(flits_.size()));
    flits_.emplace_back();
  }
  const std::uint32_t id = free_flits_.back();
  free_flits_.pop_back();
  Flit& flit = flits_[id];
  flit = {};
  flit.transaction = &transaction;
  flit.index = index;
  flit.order = ++orders_;
  flit.lane = lane.port;
  if (transaction.op == Op::read && transaction.flits == 1) return id;
  Open& open = open_of(transaction, index);
  flit.open = &open;
  open.order = orders_;
  if (transaction.op == Op::read) open.flits.push_back(id);
  return id;
}

HbmBanked::Open& HbmBanked::open_of(const Transaction& transaction, std::uint32_t index) {
  if (latest_ != &transaction) {
    latest_ = &transaction;
    latest_open_ = &open_[&transaction];
  }
  if (index == 0) {
    latest_open_->ready = 0_fs;
    latest_open_->left = transaction.flits;
  }
  return *latest_open_;
}

void HbmBanked::close(const Transaction& transaction) {
  if (latest_ == &transaction) latest_ = nullptr;
  open_.erase(&transaction);
}

void HbmBanked::send(Lane& lane, Transaction& t, std::uint32_t flit, const Target& target, TimeFs at,
                     account::PlaceId place) {
  const std::uint32_t id = new_flit(t, flit, lane);
  dram::Burst burst;
  burst.arrival = at;
  burst.direction = t.op == Op::read ? dram::kRead : dram::kWrite;
  burst.transaction = t.id;
  burst.place = place.value;
  burst.pc = static_cast<std::uint8_t>(target.pc % dram::kPcs);
  burst.address = target.address;
  burst.bytes = flit_bytes(t, flit);
  burst.tag = id;
  flits_[id].channel = target.pc / dram::kPcs;
  channels_.push(flits_[id].channel, burst);
}

void HbmBanked::wake_at(TimeFs at) {
  if (at >= wake_time_) return;
  wake_time_ = at;
  scheduler().schedule(at, *this);
}

// As late as no answer is late.
void HbmBanked::schedule_wake() {
  TimeFs at = channels_.next_wake();
  const TimeFs next = next_item().time;
  if (next != kNever) at = std::min(at, channels_.latest_push(next));
  if (!departures_.empty()) at = std::min(at, departures_.top().ready);
  if (at != kNever) wake_at(at);
}

TimeFs HbmBanked::report_until(TimeFs now) {
  TimeFs until = std::min(now, channels_.data_until());
  if (use_.has_waves()) {
    tell_uses(now);
    for (const SlidingDeque<DataUse>& uses : uses_) {
      if (!uses.empty()) until = std::min(until, uses.front().begin);
    }
    use_.show_until(until);
  }
  return std::min(FabricNode::report_until(now), until);
}

void HbmBanked::conclude() {
  FabricNode::conclude();
  channels_.finish(now(), [&](std::size_t channel) { take_data(channel); });
  tell_uses(kNever);
  opened_.conclude();
}

void HbmBanked::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricNode::collect_statistics(statistics);
  const auto add = [&](const char* name, std::uint64_t value, const char* unit = "1") {
    statistics.push_back({name, static_cast<std::int64_t>(value), unit});
  };
  if (reads_served_ + writes_served_ == 0) return;
  const dram::ChannelStatistics sums = channels_.statistics();
  add("reads", reads_served_);
  add("writes", writes_served_);
  add("read_bytes", bytes_read_, "B");
  add("write_bytes", bytes_written_, "B");
  add("row_hits", sums.row_hits);
  add("row_misses", sums.row_misses);
  add("row_conflicts", sums.row_conflicts);
  add("acts", sums.acts);
  add("refreshes", sums.refreshes);
  add("turnarounds", sums.turnarounds);
}

void HbmBanked::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const Lane& lane : lanes_) {
    lane.reads.for_each([&](const ReadIssuer::Command& read) {
      waits.push_back({node_id(), "bursts of " + request_text(*read.transaction, context().graph), read.open});
    });
  }
}

}  // namespace kb::modules
