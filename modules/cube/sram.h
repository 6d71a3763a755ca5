// Shared SRAM of a cube.
#pragma once

#include "modules/fabric/fabric_endpoint.h"
#include "platform/params/sram_params.h"

namespace kb::modules {

// Models: a scratchpad on the cube's NoC that serves one transaction at a time for `overhead_ns`; its bandwidth is that
// of its link (C-SRAM-1 .. C-SRAM-6). It stores no data.
// Timing: a write whose last flit arrives at a, or a read command that arrives at a, is served from max(a, free) for
// overhead_ns; then the acknowledgement, or all read flits in one block, enter the return edge.
class Sram final : public FabricEndpoint {
 public:
  Sram(const sc_core::sc_module_name& name, NodeId node, const params::SramParams& params, elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 protected:
  void on_arrival(const FlitStream& message) override;

 private:
  resource::Resource& port_;
  TimeFs free_at_ = 0_fs;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace kb::modules
