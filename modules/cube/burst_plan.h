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
class BurstPlan {
 public:
  // Consecutive bursts of one transaction.
  struct Piece {
    FlitRun bursts;  // time = entry of a read burst, arrival of a write flit; out_port unused for writes
    TimeFs floor = 0;
    std::uint64_t offset = 0;    // transaction.hbm_offset, kept for when the transaction has ended
    TimeFs terminal_before = 0;  // transaction.terminal_time before this piece
    bool read = false;

    BurstDirection direction() const { return read ? BurstDirection::read : BurstDirection::write; }
    TimeFs entry(std::uint32_t i) const { return std::max(bursts.time_of(i), floor); }
    bool past(TimeFs now) const { return entry(bursts.count - 1) < now; }
    // Bursts that enter before one with this (time, sequence, index).
    std::uint32_t count_before(const ArrivalKey& entry_key) const;
    ArrivalKey entry_key(std::uint32_t i) const {
      ArrivalKey key = bursts.key(i);
      key.time = entry(i);
      return key;
    }
  };

  BurstPlan(const elab::Block& block, elab::ISignalObserver* observer, const PseudoChannels::Params& params)
      : channels_(params), settled_channels_(channels_), waves_(block, observer, params.count) {}

  // Bursts that enter after all others. on_finish(j, n, finish, step), as of PseudoChannels::commit, comes before the
  // transaction's terminal_time includes them.
  template <typename F>
  void add(Piece piece, F&& on_finish);
  // True when a burst enters at or after the limit.
  bool reaches(const ArrivalKey& limit) const {
    return !pieces_.empty() && pieces_.back().count_before(limit) < pieces_.back().bursts.count;
  }
  // Takes those bursts back: put_back(read, bursts) for each piece or the rest of one, newest first.
  template <typename F>
  void take_back(const ArrivalKey& limit, TimeFs now, F&& put_back);
  // The first planned burst of a write with flit index >= `from`: true and its entry.
  bool find_write(const payload::Transaction& transaction, std::uint32_t from, TimeFs now, ArrivalKey& entry) const;

  // Settles everything once all of it has entered, which is cheap to tell.
  void settle(TimeFs now) {
    if (!pieces_.empty() && pieces_.back().past(now)) settle_all();
  }
  // The simulation is over.
  void finish();

  TimeFs free_at(std::size_t pc) const { return channels_.free_at(pc); }

 private:
  template <typename F>
  void enter(const Piece& piece, std::uint32_t count, F&& on_finish);
  std::uint32_t replay_before(const ArrivalKey& limit, std::size_t& kept);
  void settle_past(TimeFs now);
  void settle_all();
  void settle_piece(const Piece& piece);

  PseudoChannels channels_;
  PseudoChannels settled_channels_;  // before the first piece
  SlidingDeque<Piece> pieces_;
  PseudoChannelWaves waves_;
};

template <typename F>
void BurstPlan::enter(const Piece& piece, std::uint32_t count, F&& on_finish) {
  payload::Transaction& t = *piece.bursts.transaction;
  channels_.commit(piece.offset, piece.bursts.first, count, piece.bursts.time, piece.bursts.spacing, piece.floor,
                   piece.direction(), [&](std::uint32_t j, std::uint32_t n, TimeFs finish, TimeFs step) {
                     on_finish(j, n, finish, step);
                     t.terminal_time = std::max(t.terminal_time, finish + static_cast<TimeFs>(n - 1) * step);
                   });
}

template <typename F>
void BurstPlan::add(Piece piece, F&& on_finish) {
  piece.offset = piece.bursts.transaction->hbm_offset;
  piece.terminal_before = piece.bursts.transaction->terminal_time;
  pieces_.push_back(piece);
  enter(piece, piece.bursts.count, on_finish);
}

template <typename F>
void BurstPlan::take_back(const ArrivalKey& limit, TimeFs now, F&& put_back) {
  settle_past(std::min(now, limit.time));
  std::size_t kept = 0;
  const std::uint32_t partial = replay_before(limit, kept);
  while (pieces_.size() > kept) {
    Piece& piece = pieces_.back();
    const std::uint32_t keep = pieces_.size() - 1 == kept ? partial : 0;
    put_back(piece.read, piece.bursts.tail(keep));
    if (keep > 0) {
      piece.bursts.count = keep;
      break;
    }
    pieces_.pop_back();
  }
  if (limit.time <= now) settle_all();  // what is left can no longer change
}

}  // namespace kb::modules
