// Rollback: announced flits are withdrawn, and the bursts planned for them are rolled back.
#include "modules/cube/hbm_ctrl.h"

namespace kb::modules {

using payload::Leg;
using payload::Transaction;

void HbmCtrl::on_rollback(std::uint16_t port, Transaction& transaction, Leg leg, std::uint32_t first) {
  ArrivalKey entry;
  forget_choices();
  if (plan_.find_write(transaction, first, now(), entry)) roll_back_bursts(lanes_[port], entry);
  lanes_[port].writes.roll_back(transaction, leg, first, now());
  schedule_wake();
}

// A new command may enter before the slots whose requesters have been chosen.
void HbmCtrl::forget_choices() {
  for (Lane& lane : lanes_) lane.reads.forget_choice();
}

bool HbmCtrl::roll_back_bursts(const Lane& lane, const ArrivalKey& limit) {
  if (!plan_.reaches(limit, lane.channel)) return false;
  burst_budget_ /= 2;
  plan_.roll_back(limit, lane.channel, now(), [&](const Piece& piece, const FlitStream& bursts) {
    if (piece.read) {
      put_back_read(piece, bursts);
    } else {
      put_back_write(piece, bursts);
    }
  });
  return true;
}

void HbmCtrl::put_back_read(const Piece& piece, const FlitStream& bursts) {
  Lane& lane = lanes_[bursts.in_port];
  Transaction& t = *bursts.transaction;
  roll_back_return(lane, t, bursts.first);
  const ReadArbiter::Command command{&t, piece.open, piece.bursts.first, piece.bursts.sequence};
  lane.reads.give_back({command, piece.bursts.time, piece.bursts.count, piece.issuer_before, piece.slot_before},
                       bursts.first, bursts.time);
}

void HbmCtrl::put_back_write(const Piece& piece, const FlitStream& bursts) {
  Lane& lane = lanes_[bursts.in_port];
  if (bursts.has_last_flit()) lane.last_entries.pop_back();
  if (bursts.first == 0) {
    lane.write_floor = piece.floor_before;
    --writes_served_;
    bytes_written_ -= bursts.transaction->bytes;
  }
  lane.writes.put_back(bursts);
}

void HbmCtrl::roll_back_return(Lane& lane, Transaction& transaction, std::uint32_t first) {
  ArrivalKey key;
  wire_at(lane.port).retire(now());
  if (wire_at(lane.port).find(transaction, Leg::response, first, key)) cut(lane.port, key);
  lane.returns.roll_back(transaction, Leg::response, first, now());
}

void HbmCtrl::roll_back(const FlitStream& flits) {
  return_budget_ /= 2;
  lanes_[flits.out_port].returns.put_back(flits);
}

}  // namespace kb::modules
