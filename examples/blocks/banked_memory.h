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
  kb::Nanoseconds row_miss{42.0};   // from the command to the data when another row must be closed first
  kb::Nanoseconds row_cycle{48.0};  // between two activations of a bank

  static const kb::params::FieldTable& fields();
};

// Serves bursts in the order of arrival, over one data bus with the bandwidth of all pseudo-channels. Adjacent rows lie
// in adjacent banks. Timing: a burst that is requested at t starts at s = max(t, bank free). Its data is available at s
// + row_hit_ns or s + row_miss_ns and then occupies the bus. The bank is free again after one burst time when the row
// was open, otherwise row_cycle_ns after s. The burst of a write is requested when its flit has arrived.
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
  // Burst `index` of a transaction; returns when its last byte has passed the bus.
  kb::TimeFs burst(const kb::payload::Transaction& transaction, std::uint32_t index, kb::TimeFs at);

  kb::TimeFs overhead_, burst_time_, row_hit_, row_miss_, row_cycle_;
  std::uint64_t burst_bytes_, row_bytes_;
  std::vector<Bank> banks_;
  kb::TimeFs bus_free_{};
  std::int64_t hits_ = 0, misses_ = 0;
  kb::resource::Resource &bank_, &bus_;  // what they were used for: statistics, findings, the page
};

}  // namespace example
