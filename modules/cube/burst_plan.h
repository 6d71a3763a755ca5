// Bursts that an HBM controller has committed to its pseudo-channels and can still roll back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/cube/pseudo_channels.h"
#include "modules/fabric/flit_stream.h"
#include "modules/fabric/sliding_deque.h"
#include "platform/elab/block.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/resource/resource.h"

namespace kb::modules {

// Stores pieces in the order of entry, the state of the pseudo-channels after the last piece, and the state before the
// first one, from which the remaining pieces are replayed after a rollback. Pieces that have entered are retired: they
// are final, and their transactions may have ended and been reused.
//
// Pieces that are bound to different pseudo-channels do not conflict and need no order: a stream on each of N channels
// is N pieces instead of one per burst. A piece by address conflicts with every other piece.
class BurstPlan {
 public:
  // Consecutive bursts of one transaction.
  struct Piece {
    FlitStream bursts;  // time: entry of a read burst or arrival of a write flit; out_port is not used for writes
    TimeFs floor = 0_fs;
    TimeFs last = 0_fs;        // time that the last burst occupies its channel
    TimeFs open = 0_fs;        // reads: when the command became open
    std::uint64_t offset = 0;  // transaction.hbm_offset, kept because the transaction may have ended
    // State before this piece, restored by a rollback.
    TimeFs floor_before = 0_fs;     // writes: write_floor of the lane, which a header raises
    TimeFs issuer_before = 0_fs;    // reads: when the issuer was free
    TimeFs slot_before = 0_fs;      // reads: latest slot of the requester
    TimeFs terminal_before = 0_fs;  // transaction.terminal_time
    std::uint32_t channel = kByAddress;
    bool read = false;
    bool flows = false;  // all bursts were committed without waiting (PseudoChannels::flows_freely)

    bool meets(std::uint32_t other) const { return channel == kByAddress || other == kByAddress || channel == other; }
    BurstDirection direction() const { return read ? BurstDirection::read : BurstDirection::write; }
    TimeFs entry(std::uint32_t i) const { return std::max(bursts.time_of(i), floor); }
    bool past(TimeFs now) const { return entry(bursts.count - 1) < now; }
    bool enters_from(const ArrivalKey& limit) const { return count_before(limit) < bursts.count; }
    // Number of bursts that enter before one with this key (time, sequence, index).
    std::uint32_t count_before(const ArrivalKey& entry_key) const;
    ArrivalKey entry_key(std::uint32_t i) const {
      ArrivalKey key = bursts.key(i);
      key.time = entry(i);
      return key;
    }
    // The first `count` bursts.
    BurstRun run(std::uint32_t count, TimeFs whole_burst) const;
  };

  // What a controller has besides its wires: a resource with a unit per pseudo-channel.
  static resource::Declaration declaration(const params::HbmCtrlParams& params);
  // `channels`: where their use is told. `bound`: pieces can be bound to channels.
  BurstPlan(elab::BlockContext& context, const params::HbmCtrlParams& params, resource::Resource& channels, bool bound);

  // False when adding the piece would pass the end of simulated time.
  bool fits(const Piece& piece) {
    if (ends_in_time(piece)) return true;
    latest_finish_ = channels_.latest_free();  // recomputed: rollbacks leave it too high
    return ends_in_time(piece);
  }
  // Adds bursts that enter after all others that they conflict with. on_finish(j, n, finish, step), as in
  // PseudoChannels::commit, is called before the transaction's terminal_time includes them.
  template <typename F>
  void add(const Piece& piece, F&& on_finish);
  // Number of pieces that are not retired.
  std::size_t size() const { return pieces_.size(); }
  // True when a burst that conflicts with those of `channel` enters at or after the limit.
  bool reaches(const ArrivalKey& limit, std::uint32_t channel) const {
    return bound_ ? reaches_bound(limit, channel) : latest_ >= limit.time && reaches_back(limit);
  }
  // Rolls back these bursts and all later bursts that conflict with one of them. Calls put_back(piece, bursts) for each
  // piece or remaining part of a piece, newest first.
  template <typename F>
  void roll_back(const ArrivalKey& limit, std::uint32_t channel, TimeFs now, F&& put_back);
  // Finds the first planned burst of a write with flit index >= `from`; returns true and its entry.
  bool find_write(const payload::Transaction& transaction, std::uint32_t from, TimeFs now, ArrivalKey& entry) const;

  // Retires all pieces when all have entered, which is cheap to detect, and only past pieces when there are many.
  void retire(TimeFs now) {
    if (pieces_.empty()) return;
    if (latest_ < now) {
      retire_all();
    } else if (pieces_.size() > kMaxUnretired) {
      retire_past(now);
    }
  }
  // Reports to waveforms what is final before `now`; bursts that are not planned yet enter at `waiting` or later.
  // Returns the time from which more reports may come, at most `now`.
  TimeFs show_until(TimeFs now, TimeFs waiting);
  // Called at the end of the simulation.
  void finish();

  TimeFs whole_burst() const { return channels_.params().burst; }
  // State of the channels after all pieces; trial() is memory for a copy on which further bursts are tried.
  const PseudoChannels& channels() const { return channels_; }
  PseudoChannels& trial() { return trial_; }

 private:
  // Applies the first `count` bursts of a piece to the channels.
  template <typename F>
  void enter(Piece& piece, std::uint32_t count, F&& on_finish);
  bool ends_in_time(const Piece& piece) const;
  bool reaches_back(const ArrivalKey& limit) const;
  bool reaches_bound(const ArrivalKey& limit, std::uint32_t channel) const;
  // Recomputes the state of the channels without the bursts at or after the limit that may enter `channel`.
  void replay_without(const ArrivalKey& limit, std::uint32_t channel);
  void find_latest();  // only for plans without bound pieces
  void retire_past(TimeFs now);
  void retire_all();
  void retire_piece(const Piece& piece);
  void record_flow(const Piece& piece);
  bool is_watched() const { return use_.is_shown() || recorded_; }

  // Limits the search in bound pieces; pieces by address are searched from the back.
  static constexpr std::size_t kMaxUnretired = 128;

  PseudoChannels channels_;
  PseudoChannels retired_channels_;  // state before the first piece
  PseudoChannels trial_;
  SlidingDeque<Piece> pieces_;
  resource::Resource& use_;  // of the channels
  bool recorded_;            // whether it is told
  bool bound_;
  TimeFs latest_ = 0_fs;         // upper bound of the entry of any burst
  TimeFs latest_finish_ = 0_fs;  // upper bound of the finish of any burst
};

template <typename F>
void BurstPlan::enter(Piece& piece, std::uint32_t count, F&& on_finish) {
  payload::Transaction& t = *piece.bursts.transaction;
  const BurstRun run = piece.run(count, whole_burst());
  piece.flows = channels_.commit(run, [&](std::uint32_t j, std::uint32_t n, TimeFs finish, TimeFs step) {
    on_finish(j, n, finish, step);
    const TimeFs last = finish + (n - 1) * step;
    t.terminal_time = std::max(t.terminal_time, last);
    latest_finish_ = std::max(latest_finish_, last);
  });
  piece.flows = piece.flows && run.last == whole_burst();
}

template <typename F>
void BurstPlan::add(const Piece& planned, F&& on_finish) {
  if (pieces_.empty()) latest_ = 0_fs;
  Piece& piece = pieces_.push_back();
  piece = planned;
  piece.offset = piece.bursts.transaction->hbm_offset;
  piece.terminal_before = piece.bursts.transaction->terminal_time;
  latest_ = std::max(latest_, piece.entry(piece.bursts.count - 1));
  enter(piece, piece.bursts.count, on_finish);
}

template <typename F>
void BurstPlan::roll_back(const ArrivalKey& limit, std::uint32_t channel, TimeFs now, F&& put_back) {
  retire_past(std::min(now, limit.time));
  // A piece with channel kByAddress may have delayed pieces on every channel.
  for (std::size_t i = 0; bound_ && i < pieces_.size() && channel != kByAddress; ++i) {
    if (pieces_[i].channel == kByAddress && pieces_[i].enters_from(limit)) channel = kByAddress;
  }
  replay_without(limit, channel);
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    Piece& piece = pieces_[i];
    const std::uint32_t keep = piece.meets(channel) ? piece.count_before(limit) : piece.bursts.count;
    if (keep == piece.bursts.count) {
      if (!bound_) break;
      continue;
    }
    put_back(piece, piece.bursts.tail(keep));
    piece.last = whole_burst();
    if (keep > 0) {
      piece.bursts.count = keep;
    } else {
      pieces_.erase(i);
    }
  }
  if (!bound_) find_latest();
  if (limit.time <= now && channel == kByAddress) retire_all();  // the remaining pieces are final
}

}  // namespace kb::modules
