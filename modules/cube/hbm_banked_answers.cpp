// What the channels answer: waits, data, acknowledgements, and the use of the data buses.
#include <fmt/format.h>

#include <algorithm>

#include "modules/cube/hbm_banked.h"
#include "modules/fabric/request_text.h"

namespace kb::modules {

using payload::Leg;
using payload::Transaction;

void HbmBanked::take_data(std::size_t channel) {
  const dram::Channel& from = channels_.channel(channel);
  for (std::size_t pc = 0; pc < dram::kPcs; ++pc) {
    for (const dram::DataRun& run : from.data(pc)) join(uses_[channel * dram::kPcs + pc], run, from.time_of(run.begin));
  }
}

void HbmBanked::join(SlidingDeque<DataUse>& uses, const dram::DataRun& run, TimeFs begin) const {
  const account::PlaceId place{static_cast<std::uint32_t>(run.place)};
  for (std::uint32_t left = run.accesses; left > 0;) {
    const bool joins = !uses.empty() && end_of(uses.back()) == begin && uses.back().place == place &&
                       uses.back().accesses < kMostJoined;
    if (!joins) uses.push_back({begin, 0_fs, place, 0});
    DataUse& use = uses.back();
    const std::uint32_t count = std::min(left, kMostJoined - use.accesses);
    use.accesses += count;
    begin += count * on_bus_;
    left -= count;
  }
}

void HbmBanked::on_answer(std::size_t channel, const dram::Answer& answer) {
  const auto id = static_cast<std::uint32_t>(answer.burst.tag);
  tell_waits(static_cast<std::uint32_t>(channel) * dram::kPcs + answer.burst.pc, answer);
  Flit& flit = flits_[id];
  flit.transaction->prefetch();
  flit.ready = answer.ready;
  flit.answered = true;
  flit.holds_response = answer.holds_response;
  if (answer.burst.direction == dram::kRead) {
    finish_read(id);
  } else {
    finish_write(id);
  }
}

void HbmBanked::tell_waits(std::uint32_t pc, const dram::Answer& answer) {
  const account::PlaceId place{static_cast<std::uint32_t>(answer.burst.place)};
  const TimeFs sum = use_.add_access(pc, place, answer.waits);
  if (!uses_[pc].empty()) uses_[pc].back().wait += sum;
}

// Flits that are ready before a predecessor wait for it.
void HbmBanked::finish_read(std::uint32_t flit) {
  Transaction& t = *flits_[flit].transaction;
  if (flits_[flit].open == nullptr) {
    departures_.push({flits_[flit].ready, flits_[flit].order, &t, flit, flits_[flit].lane});
    return;
  }
  Open& open = *flits_[flit].open;
  while (!open.flits.empty() && flits_[open.flits.front()].answered) {
    const std::uint32_t next = open.flits.front();
    open.flits.pop_front();
    open.ready = std::max(open.ready, flits_[next].ready);
    departures_.push({open.ready, flits_[next].order, &t, next, flits_[next].lane});
    --open.left;
  }
  if (open.left == 0) close(t);
}

void HbmBanked::finish_write(std::uint32_t flit) {
  Transaction& t = *flits_[flit].transaction;
  Open& open = *flits_[flit].open;
  open.ready = std::max(open.ready, flits_[flit].ready);
  flits_[flit].transaction = nullptr;
  free_flits_.push_back(flit);
  if (--open.left > 0) return;
  t.terminal_time = t.delivered = open.ready;
  departures_.push({open.ready, open.order, &t, kNoFlit, flits_[flit].lane});
  close(t);
}

void HbmBanked::depart(TimeFs until) {
  while (!departures_.empty() && departures_.top().ready <= until) {
    const Departure departure = departures_.top();
    departures_.pop();
    if (departure.flit == kNoFlit) {
      acknowledge(departure);
    } else {
      send_data(departure);
    }
  }
}

void HbmBanked::send_data(const Departure& departure) {
  Transaction& t = *departure.transaction;
  Lane& lane = lanes_[departure.lane];
  Flit& flit = flits_[departure.flit];
  FlitStream stream;
  stream.transaction = &t;
  stream.hop = t.route->last_hop();
  stream.leg = Leg::response;
  stream.out_port = t.hops[stream.hop].reverse;
  stream.first = flit.index;
  stream.count = 1;
  stream.place = t.place;
  stream.time = departure.ready;
  stream.sequence = ++lane.departures * payload::kSequenceStep;
  if (logged() && flit.index == 0) {
    log(contract::LogLevel::info,
        [&] { return fmt::format("begins to answer transaction {} at {} ns", t.id, format_ns(departure.ready)); });
  }
  commit(stream, 0_fs);
  const TimeFs taken = wire_at(stream.out_port).available();
  if (flit.holds_response) channels_.release_response(flit.channel, taken);
  flit.transaction = nullptr;
  free_flits_.push_back(departure.flit);
}

void HbmBanked::acknowledge(const Departure& departure) {
  Transaction& t = *departure.transaction;
  Lane& lane = lanes_[departure.lane];
  t.payload().set_response_status(t.status.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
  log(contract::LogLevel::info, [&] {
    return fmt::format("answers transaction {}, {}, at {} ns: {}", t.id, request_text(t, context().graph),
                       format_ns(departure.ready), t.status.ok ? "ok" : t.status.code);
  });
  const std::uint16_t hop = t.route->last_hop();
  send_message(t.hops[hop].reverse, t, Leg::response, hop, departure.ready,
               {departure.ready, 0, ++lane.departures * payload::kSequenceStep, 0});
}

void HbmBanked::tell_uses(TimeFs until, std::size_t least) {
  for (std::size_t pc = 0; pc < uses_.size(); ++pc) {
    SlidingDeque<DataUse>& uses = uses_[pc];
    if (uses.size() < least) continue;
    for (; !uses.empty() && end_of(uses.front()) <= until; uses.pop_front()) {
      tell(static_cast<std::uint32_t>(pc), uses.front());
    }
  }
}

void HbmBanked::tell(std::uint32_t pc, const DataUse& use) {
  const TimeFs busy = use.accesses * on_bus_;
  record::Usage usage{use.begin, use.begin + busy, busy, use.wait, use.accesses * dram::kAccessBytes, 0};
  use_.add_use(pc, use.place, usage);
  if (!use_.is_shown()) return;
  usage.wait = 0_fs;
  use_.show_in_order(pc, usage.begin, usage, 0);
}

}  // namespace kb::modules
