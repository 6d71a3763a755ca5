// A memory controller with banks and open rows.
#pragma once

#include <kernbench/modules/fabric/arrival_node.h>
#include <kernbench/platform/params/hbm_ctrl_params.h>

#include <cstdint>
#include <vector>

namespace example {

struct BankedMemoryParams {
  std::int64_t banks = 16;
  std::int64_t row_bytes = 1024;
  kb::Nanoseconds row_hit{14.0};    // from the command to the data when the row is open
  kb::Nanoseconds row_miss{42.0};   // likewise when another row has to be closed and this one opened
  kb::Nanoseconds row_cycle{48.0};  // from one opening of a bank to the next

  static const kb::params::FieldTable& fields();
};

// Serves bursts in the order of arrival, over one data bus as wide as all pseudo-channels together. Neighbouring rows
// lie in neighbouring banks.
// Timing of a burst that is asked for at t: starts at s = max(t, bank free); its data is there at s + row_hit_ns or
// s + row_miss_ns, then takes the bus for its bytes. The bank is free again with the next burst time after a hit, and
// row_cycle_ns after s when a row was opened. A write's burst is asked for when its flit has arrived.
class BankedMemory final : public kb::modules::ArrivalNode {
 public:
  BankedMemory(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::HbmCtrlParams& kind,
               const BankedMemoryParams& params, kb::elab::BlockContext& context);
  void collect_statistics(std::vector<kb::elab::Statistic>& statistics) const override;

 private:
  struct Bank {
    kb::TimeFs free_at{};
    std::uint64_t row = UINT64_MAX;
  };

  void on_arrival(const Arrival& arrival) override;
  void read(kb::payload::Transaction& transaction, kb::TimeFs at);
  kb::TimeFs burst(std::uint64_t offset, kb::TimeFs at);  // when its last byte has passed the bus

  kb::TimeFs overhead_, burst_time_, row_hit_, row_miss_, row_cycle_;
  std::uint64_t burst_bytes_, row_bytes_;
  std::vector<Bank> banks_;
  kb::TimeFs bus_free_{};
  std::int64_t hits_ = 0, misses_ = 0;
};

}  // namespace example
