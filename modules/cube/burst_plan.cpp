#include "modules/cube/burst_plan.h"

#include <algorithm>
#include <string>

namespace kb::modules {
namespace {
constexpr auto kNothing = [](std::uint32_t, std::uint32_t, TimeFs, TimeFs) {};

PseudoChannels::Params channel_params(const params::HbmCtrlParams& hbm) {
  PseudoChannels::Params params;
  params.count = static_cast<std::uint32_t>(hbm.num_pcs);
  params.burst_bytes = static_cast<std::uint64_t>(hbm.burst_bytes);
  params.stripe = address::channel_stripe(hbm);
  params.burst = hbm.pc_bw.occupancy(params.burst_bytes);
  params.switch_penalty = hbm.switch_penalty.time();
  return params;
}
}  // namespace

resource::Declaration BurstPlan::declaration(const params::HbmCtrlParams& params) {
  return {params::kChannelResource,
          resource::Role::memory,
          static_cast<std::uint32_t>(params.num_pcs),
          "Bursts use the pseudo-channel.",
          {{"order", resource::CauseClass::order, "their pseudo-channel served other bursts"}},
          resource::Told::by_block};
}

BurstPlan::BurstPlan(elab::BlockContext& context, const params::HbmCtrlParams& params, resource::Resource& channels,
                     bool bound)
    : channels_(channel_params(params)),
      retired_channels_(channels_),
      trial_(channels_),
      use_(channels),
      recorded_(context.recorder != nullptr),
      bound_(bound) {}

std::uint32_t BurstPlan::Piece::count_before(const ArrivalKey& limit) const {
  if (floor > limit.time) return 0;
  if (floor < limit.time) return bursts.count_before(limit);
  // All bursts that were delayed to `floor` enter at this time, in the order of their sequence.
  FlitStream held = bursts;
  held.count = bursts.count_before({limit.time + 1_fs, 0, 0, 0});
  if (held.count == 0) return 0;
  held.time = limit.time;
  held.spacing = 0_fs;
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

bool BurstPlan::ends_in_time(const Piece& piece) const {
  const TimeFs idle = std::max(latest_finish_, piece.entry(piece.bursts.count - 1));
  return channels_.latest_end(piece.bursts.count, piece.channel != kByAddress, idle) <= kTimeEnd;
}

bool BurstPlan::find_write(const payload::Transaction& transaction, std::uint32_t from, TimeFs now,
                           ArrivalKey& entry) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const FlitStream& flits = pieces_[i].bursts;
    if (pieces_[i].read || flits.transaction != &transaction || flits.first + flits.count <= from) continue;
    if (pieces_[i].past(now)) continue;  // belongs to an earlier use of the transaction object
    entry = pieces_[i].entry_key(std::max(from, flits.first) - flits.first);
    return true;
  }
  return false;
}

bool BurstPlan::reaches_back(const ArrivalKey& limit) const {
  return !pieces_.empty() && pieces_.back().enters_from(limit);
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
  channels_ = retired_channels_;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    const std::uint32_t kept = piece.meets(channel) ? piece.count_before(limit) : piece.bursts.count;
    if (kept > 0) enter(piece, kept, kNothing);
    if (!bound_ && kept < piece.bursts.count) return;  // no later piece is kept either
  }
}

void BurstPlan::find_latest() {
  latest_ = pieces_.empty() ? 0_fs : pieces_.back().entry(pieces_.back().bursts.count - 1);
}

// All earlier pieces that conflict with a past piece are past, too, so that channel-bound pieces may retire out of
// order.
void BurstPlan::retire_past(TimeFs now) {
  if (!bound_) {
    for (; !pieces_.empty() && pieces_.front().past(now); pieces_.pop_front()) retire_piece(pieces_.front());
    return;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].past(now)) {
      retire_piece(pieces_[i]);
    } else {
      if (kept != i) pieces_[kept] = pieces_[i];
      ++kept;
    }
  }
  while (pieces_.size() > kept) pieces_.pop_back();
}

void BurstPlan::retire_all() {
  bool alike = !use_.is_shown();
  for (std::size_t i = 0; alike && recorded_ && i < pieces_.size(); ++i) alike = pieces_[i].flows;
  if (!alike) {
    // brings retired_channels_ to the state of the channels
    for (std::size_t i = 0; i < pieces_.size(); ++i) retire_piece(pieces_[i]);
  } else {
    for (std::size_t i = 0; recorded_ && i < pieces_.size(); ++i) record_flow(pieces_[i]);
    retired_channels_ = channels_;
  }
  pieces_.clear();
}

void BurstPlan::record_flow(const Piece& piece) {
  const BurstRun run = piece.run(piece.bursts.count, whole_burst());
  channels_.each_share(run, [&](std::size_t pc, const record::Usage& use, std::uint32_t bursts) {
    use_.add(static_cast<std::uint32_t>(pc), piece.bursts.place, use, bursts, 0);
  });
}

void BurstPlan::retire_piece(const Piece& piece) {
  const BurstRun run = piece.run(piece.bursts.count, whole_burst());
  const bool flows = piece.flows && !use_.is_shown();
  if (flows && recorded_) record_flow(piece);
  if (flows || !is_watched()) {
    retired_channels_.commit(run, kNothing);
    return;
  }
  for (std::uint32_t j = 0; j < run.count; ++j) {
    const TimeFs finish = retired_channels_.enter(run, j);
    const TimeFs time = j + 1 == run.count ? run.last : whole_burst();
    const TimeFs entry = run.entry_of(j), start = finish - time;
    const auto pc = static_cast<std::uint32_t>(retired_channels_.channel_of(run, j));
    const record::Usage usage{start,
                              finish,
                              time,
                              start - entry,
                              channels_.params().burst_bytes,
                              static_cast<std::uint64_t>(periods(start - entry, whole_burst()))};
    if (use_.is_shown()) use_.show_in_order(pc, entry, usage, 0);
    if (recorded_) use_.add(pc, piece.bursts.place, usage, 1, 0);
  }
}

TimeFs BurstPlan::show_until(TimeFs now, TimeFs waiting) {
  if (!use_.has_waves()) return now;
  retire_past(now);
  TimeFs until = std::min(now, waiting);
  for (std::size_t i = 0; i < pieces_.size(); ++i) until = std::min(until, pieces_[i].entry(0));
  use_.show_until(until);
  return until;
}

void BurstPlan::finish() {
  retire_all();
}

}  // namespace kb::modules
