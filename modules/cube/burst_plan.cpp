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

// Brings the channels to the state before `limit`. Pieces below `kept` stay whole; returns the bursts that stay of the
// piece at `kept`.
std::uint32_t BurstPlan::replay_before(const ArrivalKey& limit, std::size_t& kept) {
  for (std::size_t i = pieces_.size(); i-- > 0;)
    pieces_[i].bursts.transaction->terminal_time = pieces_[i].terminal_before;
  channels_ = settled_channels_;
  for (kept = 0; kept < pieces_.size(); ++kept) {
    const std::uint32_t before = pieces_[kept].count_before(limit);
    if (before > 0) enter(pieces_[kept], before, kNothing);
    if (before < pieces_[kept].bursts.count) return before;
  }
  return 0;
}

void BurstPlan::settle_past(TimeFs now) {
  for (; !pieces_.empty() && pieces_.front().past(now); pieces_.pop_front()) settle_piece(pieces_.front());
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
    settled_channels_.commit(piece.offset, bursts.first, bursts.count, bursts.time, bursts.spacing, piece.floor,
                             piece.direction(), kNothing);
    return;
  }
  for (std::uint32_t i = 0; i < bursts.count; ++i) {
    const std::size_t pc = settled_channels_.channel_of(piece.offset, bursts.first + i);
    const TimeFs entry = piece.entry(i);
    settled_channels_.commit(piece.offset, bursts.first + i, 1, entry, 0, 0, piece.direction(),
                             [&](std::uint32_t, std::uint32_t, TimeFs finish, TimeFs) {
                               waves_.add(pc, entry, finish - settled_channels_.params().burst, finish);
                             });
  }
}

void BurstPlan::finish() {
  settle_all();
  waves_.finish();
}

}  // namespace kb::modules
