#include "modules/cube/burst_plan.h"

#include <algorithm>

namespace kb::modules {
namespace {
constexpr auto kNothing = [](std::uint32_t, std::uint32_t, TimeFs, TimeFs) {};
}  // namespace

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
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const std::uint32_t count = piece.meets(channel) ? piece.count_before(limit) : piece.bursts.count;
    if (count > 0) enter(piece, count, kNothing);
    if (!bound_ && count < piece.bursts.count) return;  // nor does any behind it stay
  }
}

// What meets a piece and was entered before it is past when the piece is, so bound pieces may leave from the middle.
void BurstPlan::settle_past(TimeFs now) {
  if (!bound_) {
    for (; !pieces_.empty() && pieces_.front().past(now); pieces_.pop_front()) settle_piece(pieces_.front());
    return;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].past(now)) {
      settle_piece(pieces_[i]);
    } else {
      if (kept != i) pieces_[kept] = pieces_[i];
      ++kept;
    }
  }
  while (pieces_.size() > kept) pieces_.pop_back();
}

void BurstPlan::settle_all() {
  if (waves_.wanted()) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) settle_piece(pieces_[i]);
  }
  settled_channels_ = channels_;
  pieces_.clear();
}

void BurstPlan::settle_piece(const Piece& piece) {
  const FlitRun& bursts = piece.bursts;
  if (!waves_.wanted()) {
    commit(settled_channels_, piece, 0, bursts.count, kNothing);
    return;
  }
  for (std::uint32_t i = 0; i < bursts.count; ++i) {
    const std::size_t pc =
        piece.channel != kByAddress ? piece.channel : settled_channels_.channel_of(piece.offset, bursts.first + i);
    const TimeFs entry = piece.entry(i);
    commit(settled_channels_, piece, i, 1, [&](std::uint32_t, std::uint32_t, TimeFs finish, TimeFs) {
      waves_.add(pc, entry, finish - settled_channels_.params().burst, finish);
    });
  }
}

void BurstPlan::finish() {
  settle_all();
  waves_.finish();
}

}  // namespace kb::modules
