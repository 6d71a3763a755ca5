#include "modules/cube/burst_plan.h"

#include <algorithm>

namespace kb::modules {
namespace {
constexpr auto kNothing = [](std::size_t, std::uint32_t, std::uint32_t, TimeFs, TimeFs) {};

PseudoChannels::Params channel_params(const params::HbmCtrlParams& hbm) {
  PseudoChannels::Params params;
  params.count = static_cast<std::uint32_t>(hbm.num_pcs);
  params.burst_bytes = static_cast<std::uint64_t>(hbm.burst_bytes);
  params.stripe = address::channel_stripe(hbm);
  params.burst = hbm.pc_bw.occupancy(params.burst_bytes);
  params.switch_penalty = hbm.switch_penalty.fs();
  return params;
}
}  // namespace

BurstPlan::BurstPlan(const elab::Block& block, contract::ISignalObserver* observer, const params::HbmCtrlParams& params,
                     bool bound)
    : channels_(channel_params(params)),
      settled_channels_(channels_),
      waves_(block, observer, channels_.params().count),
      bound_(bound) {}

std::uint32_t BurstPlan::Piece::count_before(const ArrivalKey& limit) const {
  if (floor > limit.time) return 0;
  if (floor < limit.time) return bursts.count_before(limit);
  // Everything that was held back to `floor` enters at this very time: the sequence decides.
  FlitRun held = bursts;
  held.count = bursts.count_before({limit.time + 1, 0, 0, 0});
  if (held.count == 0) return 0;
  held.time = limit.time;
  held.spacing = 0;
  return held.count_before(limit);
}

BurstRun BurstPlan::Piece::run(std::uint32_t count, TimeFs whole_burst) const {
  BurstRun run;
  run.offset = offset;
  run.channel = channel;
  run.first = bursts.first;
  run.count = count;
  run.entry = bursts.time;
  run.spacing = bursts.spacing;
  run.floor = floor;
  run.last = count == bursts.count ? last : whole_burst;
  run.direction = direction();
  return run;
}

bool BurstPlan::ends_in_time(const Piece* pieces, std::size_t count) const {
  TimeFs idle = latest_finish_;
  std::uint64_t bursts = 0;
  for (std::size_t k = 0; k < count; ++k) {
    idle = std::max(idle, pieces[k].entry(pieces[k].bursts.count - 1));
    bursts += pieces[k].bursts.count;
  }
  return channels_.latest_end(bursts, pieces->channel != kByAddress, idle) <= kTimeEnd;
}

std::size_t BurstPlan::turn_end(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < pieces_.size() && pieces_[end].turn == pieces_[begin].turn) ++end;
  return end;
}

std::size_t BurstPlan::turn_begin(std::size_t end) const {
  std::size_t begin = end - 1;
  while (begin > 0 && pieces_[begin - 1].turn == pieces_[end - 1].turn) --begin;
  return begin;
}

bool BurstPlan::turn_past(std::size_t begin, std::size_t end, TimeFs now) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (!pieces_[i].past(now)) return false;
  }
  return true;
}

bool BurstPlan::find_write(const payload::Transaction& transaction, std::uint32_t from, TimeFs now,
                           ArrivalKey& entry) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const FlitRun& flits = pieces_[i].bursts;
    if (pieces_[i].read || flits.transaction != &transaction || flits.first + flits.count <= from) continue;
    if (pieces_[i].past(now)) continue;  // of an earlier use of the transaction
    entry = pieces_[i].entry_key(std::max(from, flits.first) - flits.first);
    return true;
  }
  return false;
}

bool BurstPlan::reaches_back(const ArrivalKey& limit) const {
  if (pieces_.empty()) return false;
  for (std::size_t i = turn_begin(pieces_.size()); i < pieces_.size(); ++i) {
    if (pieces_[i].enters_from(limit)) return true;
  }
  return false;
}

bool BurstPlan::reaches_bound(const ArrivalKey& limit, std::uint32_t channel) const {
  if (latest_ < limit.time) return false;
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    if (pieces_[i].meets(channel) && pieces_[i].enters_from(limit)) return true;
  }
  return false;
}

void BurstPlan::replay_without(const ArrivalKey& limit, std::uint32_t channel) {
  for (std::size_t i = pieces_.size(); i-- > 0;)
    pieces_[i].bursts.transaction->terminal_time = pieces_[i].terminal_before;
  channels_ = settled_channels_;
  for (std::size_t begin = 0; begin < pieces_.size();) {
    const std::size_t end = turn_end(begin);
    bool whole = true;
    counts_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Piece& piece = pieces_[i];
      counts_.push_back(piece.meets(channel) ? piece.count_before(limit) : piece.bursts.count);
      whole = whole && counts_.back() == piece.bursts.count;
    }
    if (counts_[0] > 0) enter(begin, end, kNothing);
    if (!bound_ && !whole) return;  // nor does any behind it stay
    begin = end;
  }
}

void BurstPlan::find_latest() {
  latest_ = 0;
  if (pieces_.empty()) return;
  for (std::size_t i = turn_begin(pieces_.size()); i < pieces_.size(); ++i) {
    latest_ = std::max(latest_, pieces_[i].entry(pieces_[i].bursts.count - 1));
  }
}

// What meets a turn and was entered before it is past when the turn is, so bound ones may leave from the middle.
void BurstPlan::settle_past(TimeFs now) {
  if (!bound_) {
    while (!pieces_.empty()) {
      const std::size_t end = turn_end(0);
      if (!turn_past(0, end, now)) return;
      settle_turn(0, end);
      for (std::size_t i = 0; i < end; ++i) pieces_.pop_front();
    }
    return;
  }
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < pieces_.size();) {
    const std::size_t end = turn_end(begin);
    if (turn_past(begin, end, now)) {
      settle_turn(begin, end);
    } else {
      for (std::size_t i = begin; i < end; ++i, ++kept) {
        if (kept != i) pieces_[kept] = pieces_[i];
      }
    }
    begin = end;
  }
  while (pieces_.size() > kept) pieces_.pop_back();
}

void BurstPlan::settle_all() {
  if (waves_.wanted()) {
    for (std::size_t begin = 0; begin < pieces_.size();) {
      const std::size_t end = turn_end(begin);
      settle_turn(begin, end);
      begin = end;
    }
  }
  settled_channels_ = channels_;
  pieces_.clear();
}

void BurstPlan::settle_turn(std::size_t begin, std::size_t end) {
  counts_.clear();
  for (std::size_t i = begin; i < end; ++i) counts_.push_back(pieces_[i].bursts.count);
  if (!waves_.wanted()) {
    commit(settled_channels_, begin, end, kNothing);
    return;
  }
  const TimeFs burst = channels_.params().burst;
  for (std::uint32_t round = 0; round < counts_[0]; ++round) {
    for (std::size_t i = begin; i < end && round < counts_[i - begin]; ++i) {
      const BurstRun run = pieces_[i].run(counts_[i - begin], burst);
      const TimeFs finish = settled_channels_.enter(run, round);
      const TimeFs time = round + 1 == run.count ? run.last : burst;
      waves_.add(settled_channels_.channel_of(run, round), run.entry_of(round), finish - time, finish);
    }
  }
}

void BurstPlan::finish() {
  settle_all();
  waves_.finish();
}

}  // namespace kb::modules
