// The bursts that an HBM controller has committed to its pseudo-channels and may still take back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "modules/cube/pseudo_channel_waves.h"
#include "modules/cube/pseudo_channels.h"
#include "modules/fabric/flit_run.h"
#include "modules/fabric/sliding_deque.h"

namespace kb::modules {

// Pieces in the order of entry, the state of the pseudo-channels behind the last of them, and the state before the
// first, from which what is kept is replayed when a piece is taken back. Pieces that have entered are settled: nothing
// can change them, and their transactions may have ended and begun again.
//
// Pieces that are bound to different pseudo-channels do not meet, so they need no order among them: a stream on each of
// N channels is N pieces and not one per burst. A piece by address meets every other.
class BurstPlan {
 public:
  // Consecutive bursts of one transaction.
  struct Piece {
    FlitRun bursts;  // time = entry of a read burst, arrival of a write flit; out_port unused for writes
    TimeFs floor = 0;
    TimeFs floor_before = 0;     // a write's header raises the floor; its controller's note of where it was
    std::uint64_t offset = 0;    // transaction.hbm_offset, kept for when the transaction has ended
    TimeFs terminal_before = 0;  // transaction.terminal_time before this piece
    std::uint32_t channel = kByAddress;
    bool read = false;

    bool meets(std::uint32_t other) const { return channel == kByAddress || other == kByAddress || channel == other; }
    BurstDirection direction() const { return read ? BurstDirection::read : BurstDirection::write; }
    TimeFs entry(std::uint32_t i) const { return std::max(bursts.time_of(i), floor); }
    bool past(TimeFs now) const { return entry(bursts.count - 1) < now; }
    bool enters_from(const ArrivalKey& limit) const { return count_before(limit) < bursts.count; }
    // Bursts that enter before one with this (time, sequence, index).
    std::uint32_t count_before(const ArrivalKey& entry_key) const;
    ArrivalKey entry_key(std::uint32_t i) const {
      ArrivalKey key = bursts.key(i);
      key.time = key.ready = entry(i);
      return key;
    }
  };

  // bound: pieces can be bound to channels.
  BurstPlan(const elab::Block& block, elab::ISignalObserver* observer, const PseudoChannels::Params& params, bool bound)
      : channels_(params), settled_channels_(channels_), waves_(block, observer, params.count), bound_(bound) {}

  // False when a piece cannot be added without passing the end of simulated time.
  bool fits(const Piece& piece) {
    if (ends_in_time(piece)) return true;
    latest_finish_ = channels_.latest_free();  // without what was taken back
    return ends_in_time(piece);
  }
  // Bursts that enter after all others that they meet. on_finish(j, n, finish, step), as of PseudoChannels::commit,
  // comes before the transaction's terminal_time includes them.
  template <typename F>
  void add(const Piece& piece, F&& on_finish);
  // True when a burst that meets those of `channel` enters at or after the limit.
  bool reaches(const ArrivalKey& limit, std::uint32_t channel) const {
    if (bound_) return reaches_bound(limit, channel);
    return !pieces_.empty() && pieces_.back().enters_from(limit);
  }
  // Takes those bursts back, and whatever met one of them behind it: put_back(piece, bursts) for each piece or the rest
  // of one, newest first.
  template <typename F>
  void take_back(const ArrivalKey& limit, std::uint32_t channel, TimeFs now, F&& put_back);
  // The first planned burst of a write with flit index >= `from`: true and its entry.
  bool find_write(const payload::Transaction& transaction, std::uint32_t from, TimeFs now, ArrivalKey& entry) const;

  // Settles everything once all of it has entered, which is cheap to tell.
  void settle(TimeFs now) {
    if (pieces_.empty()) return;
    if (bound_ ? latest_ < now : pieces_.back().past(now)) {
      settle_all();
    } else if (pieces_.size() > kMostUnsettled) {
      settle_past(now);
    }
  }
  // The simulation is over.
  void finish();

  TimeFs free_at(std::size_t pc) const { return channels_.free_at(pc); }

 private:
  template <typename F>
  static void commit(PseudoChannels& channels, const Piece& piece, std::uint32_t first, std::uint32_t count, F&& f);
  template <typename F>
  void enter(const Piece& piece, std::uint32_t count, F&& on_finish);
  bool ends_in_time(const Piece& piece) const {
    const TimeFs idle = std::max(piece.entry(piece.bursts.count - 1), latest_finish_);
    return channels_.latest_end(piece.bursts.count, piece.channel != kByAddress, idle) <= kTimeEnd;
  }
  bool reaches_bound(const ArrivalKey& limit, std::uint32_t channel) const;
  // Brings the channels to the state without the bursts that meet those of `channel` at or after the limit.
  void replay_without(const ArrivalKey& limit, std::uint32_t channel);
  void settle_past(TimeFs now);
  void settle_all();
  void settle_piece(const Piece& piece);

  // Bound pieces are looked through; by address they are looked at from the back.
  static constexpr std::size_t kMostUnsettled = 128;

  PseudoChannels channels_;
  PseudoChannels settled_channels_;  // before the first piece
  SlidingDeque<Piece> pieces_;
  PseudoChannelWaves waves_;
  bool bound_;
  TimeFs latest_ = 0;         // bound: no burst enters later
  TimeFs latest_finish_ = 0;  // no burst finishes later
};

// Bursts first .. first + count - 1 of a piece.
template <typename F>
void BurstPlan::commit(PseudoChannels& channels, const Piece& piece, std::uint32_t first, std::uint32_t count, F&& f) {
  const TimeFs entry = piece.bursts.time_of(first);
  if (piece.channel != kByAddress) {
    channels.commit_on(piece.channel, count, entry, piece.bursts.spacing, piece.floor, piece.direction(), f);
    return;
  }
  channels.commit(piece.offset, piece.bursts.first + first, count, entry, piece.bursts.spacing, piece.floor,
                  piece.direction(), f);
}

template <typename F>
void BurstPlan::enter(const Piece& piece, std::uint32_t count, F&& on_finish) {
  payload::Transaction& t = *piece.bursts.transaction;
  const auto finished = [&](std::uint32_t j, std::uint32_t n, TimeFs finish, TimeFs step) {
    on_finish(j, n, finish, step);
    const TimeFs last = finish + static_cast<TimeFs>(n - 1) * step;
    t.terminal_time = std::max(t.terminal_time, last);
    latest_finish_ = std::max(latest_finish_, last);
  };
  commit(channels_, piece, 0, count, finished);
}

template <typename F>
void BurstPlan::add(const Piece& planned, F&& on_finish) {
  Piece piece = planned;
  piece.offset = piece.bursts.transaction->hbm_offset;
  piece.terminal_before = piece.bursts.transaction->terminal_time;
  pieces_.push_back(piece);
  if (bound_) latest_ = std::max(latest_, piece.entry(piece.bursts.count - 1));
  enter(piece, piece.bursts.count, on_finish);
}

template <typename F>
void BurstPlan::take_back(const ArrivalKey& limit, std::uint32_t channel, TimeFs now, F&& put_back) {
  settle_past(std::min(now, limit.time));
  // A piece by address can have held up pieces on every channel.
  for (std::size_t i = 0; bound_ && i < pieces_.size() && channel != kByAddress; ++i) {
    if (pieces_[i].channel == kByAddress && pieces_[i].enters_from(limit)) channel = kByAddress;
  }
  replay_without(limit, channel);
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    Piece& piece = pieces_[i];
    if (!piece.meets(channel)) continue;
    const std::uint32_t keep = piece.count_before(limit);
    if (keep == piece.bursts.count) {
      if (bound_) continue;
      break;
    }
    put_back(piece, piece.bursts.tail(keep));
    if (keep > 0) {
      piece.bursts.count = keep;
    } else {
      pieces_.erase(i);
    }
  }
  if (limit.time <= now && channel == kByAddress) settle_all();  // what is left can no longer change
}

}  // namespace kb::modules
