// When bursts are answered and what they waited for (C-DRAM-11 .. C-DRAM-13).
#include <algorithm>
#include <utility>

#include "modules/cube/dram/channel.h"

namespace kb::dram {

Limit Channel::limit_of(Command command, const Job& job) const {
  const Half raster = config_->standard.step(command);
  Limit limit = banks().limit(command, job.bank);
  limit.align(raster);
  const Entry& entry = queue_.entry_at(job.entry);
  const auto take = [&](Half since, Cause cause) {  // what ended before the entry is no wait
    if (since > entry.entered) limit.take((since + raster - 1) & ~(raster - 1), cause);
  };
  take(job.released, Cause::hazard);
  take(mode_since_, Cause::write_drain);
  if (mode_ == kRead && !entry.started) take(response_since(job), Cause::response_full);
  return limit;
}

// Since when a read can take a response entry: there are two free ones, or it is the oldest one and there is one.
Half Channel::response_since(const Job& job) const {
  if (queue_.oldest_unstarted() != job.entry) return levels_[1].last_below + step_;
  const Half below = levels_[0].last_below;
  return (below >= oldest_read_since_ ? below : starved_before_oldest_) + step_;
}

// Divides the time since the latest column command of the entry: until its bank was closed, was opened, and now. Each
// span waits for the last constraint, then for the bus, but for the time in which the bank was refreshed.
void Channel::account(Entry& entry, const Job& job, Half edge) {
  Limit limit = column_.limit;
  limit.align(2);
  const auto take = [&](Half since, Cause cause) {  // what ended before the latest column command is no wait
    if (since > entry.column) limit.take(to_rising(since), cause);
  };
  take(job.released, Cause::hazard);
  take(mode_since_, Cause::write_drain);
  if (mode_ == kRead && !entry.started) take(response_since(job), Cause::response_full);
  const Bank& bank = banks()[job.bank];
  if (banks().time(bank.opened_at) > entry.column) account_since_closed(entry, bank);
  account_span(entry, edge, limit, Cause::column_bus);
}

void Channel::account_since_closed(Entry& entry, const Bank& bank) const {
  const Half opened = banks().time(bank.opened_at), refresh_begin = banks().time(bank.refresh_begin);
  const Half refresh_end = to_rising(refresh_begin + refreshes_for_);
  const Limit opened_limit = banks().limit_of(bank.opened_limit);
  account_span(entry, banks().time(bank.closed_at), banks().limit_of(bank.closed_limit), Cause::row_bus);
  if (refresh_end > entry.column && refresh_begin < opened) {
    account_span(entry, refresh_begin, opened_limit, Cause::row_bus);
    account_span(entry, std::min(refresh_end, opened), {kNoEdge / 32, Cause::refresh}, Cause::refresh);
  }
  account_span(entry, opened, opened_limit, Cause::row_bus);
}

void Channel::leave(Index index, Half edge) {
  Entry& entry = queue_.entry(index);
  freed_.push_back({time_of(edge), entry.burst.direction});
  if (entry.holds_others && entry.burst.direction == kWrite) {
    const TimeFs committed = time_of(edge) + ticks(config_->standard.timing.cwl + config_->standard.timing.bl);
    for (const Index reader : std::exchange(queue_.hazards(index).readers, {})) {
      TimeFs& forwarded = queue_.hazards(reader).forwarded;
      forwarded = std::max(forwarded, committed);
      --queue_.entry(reader).forwards;
      answer_if_known(reader);
    }
  }
  answer_if_known(index);
}

void Channel::answer_if_known(Index index) {
  Entry& entry = queue_.entry(index);
  const bool accepted = entry.burst.direction == kWrite && config_->write_ack == WriteAck::accepted;
  if (!entry.answered && (accepted || (entry.left == 0 && entry.forwards == 0))) {
    answers_.push_back(entry.burst.direction == kRead ? answer_read(index) : answer_write(entry));
    entry.answered = true;
  }
  if (entry.answered && !entry.queued) queue_.forget(index);
}

Answer Channel::begin_answer(const Entry& entry) const {
  Answer answer;
  answer.burst = entry.burst;
  answer.entered = time_of(entry.entered);
  for (unsigned rest = entry.waited; rest != 0; rest &= rest - 1) {
    const auto cause = static_cast<std::size_t>(__builtin_ctz(rest));
    answer.waits[cause] = time_of(Half{entry.waits[cause]});
  }
  const Half schedulable = first_edge_of(entry.burst);
  answer.waits[index(Cause::other)] += time_of(schedulable) - entry.burst.arrival - config_->frontend;
  answer.waits[index(Cause::queue_full)] += time_of(entry.entered - schedulable);
  answer.service = config_->frontend;
  return answer;
}

Answer Channel::answer_read(Index index) const {
  const Entry& entry = queue_.entry_at(index);
  Answer answer = begin_answer(entry);
  answer.holds_response = entry.from_banks;
  const TimeFs access =
      entry.from_banks ? ticks(config_->standard.timing.cl + config_->standard.timing.bl) : config_->frontend;
  TimeFs data = time_of(entry.column) + access;
  if (const TimeFs forwarded = entry.is_forwarded ? queue_.forwarded(index) : 0_fs; forwarded > data) {
    answer.waits[dram::index(Cause::hazard)] += forwarded - data;
    data = forwarded;
  }
  answer.service += access + config_->backend;
  answer.ready = data + config_->backend;
  return answer;
}

Answer Channel::answer_write(const Entry& entry) const {
  if (config_->write_ack == WriteAck::accepted) {
    Answer answer = begin_answer(entry);
    answer.ready = answer.entered;
    return answer;
  }
  Answer answer = begin_answer(entry);
  const TimeFs access = ticks(config_->standard.timing.cwl + config_->standard.timing.bl);
  answer.service += access;
  answer.ready = time_of(entry.column) + access;
  return answer;
}

}  // namespace kb::dram
