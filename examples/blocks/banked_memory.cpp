#include "banked_memory.h"

#include <algorithm>

namespace example {

using kb::TimeFs;
using kb::payload::Op;

const kb::params::FieldTable& BankedMemoryParams::fields() {
  using P = BankedMemoryParams;
  static const kb::params::FieldTable table =
      kb::params::Fields<P>()
          .add("banks", &P::banks, kb::at_least(1, 4096), "banks of the slice")
          .add("row_bytes", &P::row_bytes, kb::at_least(64, 1 << 20), "bytes of a row")
          .power_of_two()
          .add("row_hit_ns", &P::row_hit, "from command to data when the row is open")
          .add("row_miss_ns", &P::row_miss, "from command to data when another row is open")
          .add("row_cycle_ns", &P::row_cycle, "from one opening of a bank to the next")
          .table();
  return table;
}

BankedMemory::BankedMemory(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::HbmCtrlParams& kind,
                           const BankedMemoryParams& params, kb::elab::BlockContext& context)
    : ArrivalNode(name, node, context),
      overhead_(kind.overhead.time()),
      burst_time_(
          (kind.pc_bw * static_cast<double>(kind.num_pcs)).occupancy(static_cast<std::uint64_t>(kind.burst_bytes))),
      row_hit_(params.row_hit.time()),
      row_miss_(params.row_miss.time()),
      row_cycle_(params.row_cycle.time()),
      burst_bytes_(static_cast<std::uint64_t>(kind.burst_bytes)),
      row_bytes_(static_cast<std::uint64_t>(params.row_bytes)),
      banks_(static_cast<std::size_t>(params.banks)) {}

TimeFs BankedMemory::burst(std::uint64_t offset, TimeFs at) {
  const std::uint64_t row = offset / row_bytes_;
  Bank& bank = banks_[row % banks_.size()];
  const TimeFs start = std::max(at, bank.free_at);
  const bool hit = bank.row == row;
  ++(hit ? hits_ : misses_);
  bank.row = row;
  bank.free_at = start + (hit ? burst_time_ : row_cycle_);
  bus_free_ = std::max(start + (hit ? row_hit_ : row_miss_), bus_free_) + burst_time_;
  return bus_free_;
}

void BankedMemory::on_arrival(const Arrival& arrival) {
  kb::payload::Transaction& transaction = arrival.transaction();
  if (transaction.op == Op::read) {
    read(transaction, arrival.time() + overhead_);
  } else if (transaction.op == Op::write) {
    const TimeFs done = burst(transaction.hbm_offset + arrival.index() * burst_bytes_, arrival.time() + overhead_);
    if (!arrival.is_last()) return;
    transaction.delivered = done;
    depart(response(transaction), done);
  } else {
    transaction.status = {false, "UNSUPPORTED_REQUEST", node_id() + " serves reads and writes only"};
    depart(response(transaction), arrival.time() + overhead_);
  }
}

void BankedMemory::read(kb::payload::Transaction& transaction, TimeFs at) {
  for (std::uint32_t i = 0; i < transaction.flits; ++i) {
    depart(response(transaction, i), burst(transaction.hbm_offset + i * burst_bytes_, at));
  }
}

void BankedMemory::collect_statistics(std::vector<kb::elab::Statistic>& statistics) const {
  ArrivalNode::collect_statistics(statistics);
  if (hits_ + misses_ == 0) return;
  statistics.push_back({"row_hits", hits_, "1"});
  statistics.push_back({"row_misses", misses_, "1"});
}

}  // namespace example
