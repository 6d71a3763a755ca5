#include "banked_memory.h"

#include <algorithm>

namespace example {

using kb::TimeFs;
using kb::payload::Op;
using kb::resource::CauseClass;
using kb::resource::Declaration;

namespace {

enum BankCause : std::size_t { kBankBusy, kOtherRow };
Declaration bank_declaration(std::int64_t banks) {
  return {"bank",
          kb::resource::Role::memory,
          static_cast<std::uint32_t>(banks),
          "A row is read, written or changed.",
          {{"busy", CauseClass::order, "their bank served another access"},
           {"row", CauseClass::conflict, "another row of their bank was open"}},
          kb::resource::Told::ahead};
}

enum BusCause : std::size_t { kBusBusy };
Declaration bus_declaration() {
  return {"bus",
          kb::resource::Role::memory,
          1,
          "Data are on the bus of all banks.",
          {{"order", CauseClass::order, "other data were on the bus of the banks"}},
          kb::resource::Told::ahead};
}

}  // namespace

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
      banks_(static_cast<std::size_t>(params.banks)),
      bank_(declare(bank_declaration(params.banks))),
      bus_(declare(bus_declaration())) {}

TimeFs BankedMemory::burst(const kb::payload::Transaction& transaction, std::uint32_t index, TimeFs at) {
  const std::uint64_t row = (transaction.hbm_offset + index * burst_bytes_) / row_bytes_;
  const std::uint64_t which = row % banks_.size();
  Bank& bank = banks_[which];
  const TimeFs start = std::max(at, bank.free_at);
  const bool hit = bank.row == row;
  ++(hit ? hits_ : misses_);
  bank.row = row;
  bank.free_at = start + (hit ? burst_time_ : row_cycle_);
  const TimeFs ready = start + (hit ? row_hit_ : row_miss_);
  bank_.use(static_cast<std::uint32_t>(which), start, bank.free_at, transaction.place, burst_bytes_,
            {{kBankBusy, start - at}, {kOtherRow, std::max(ready - start - row_hit_, TimeFs{}), true}});
  const TimeFs first = std::max(ready, bus_free_);
  bus_free_ = first + burst_time_;
  bus_.use(0, first, bus_free_, transaction.place, burst_bytes_, {{kBusBusy, first - ready}});
  return bus_free_;
}

void BankedMemory::on_arrival(const Arrival& arrival) {
  kb::payload::Transaction& transaction = arrival.transaction();
  if (transaction.op == Op::read) {
    read(transaction, arrival.time() + overhead_);
  } else if (transaction.op == Op::write) {
    const TimeFs done = burst(transaction, arrival.index(), arrival.time() + overhead_);
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
    depart(response(transaction, i), burst(transaction, i, at));
  }
}

void BankedMemory::collect_statistics(std::vector<kb::elab::Statistic>& statistics) const {
  ArrivalNode::collect_statistics(statistics);
  if (hits_ + misses_ == 0) return;
  statistics.push_back({"row_hits", hits_, "1"});
  statistics.push_back({"row_misses", misses_, "1"});
}

}  // namespace example
