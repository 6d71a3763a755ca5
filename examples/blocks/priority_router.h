// A router with two priorities.
#pragma once

#include <kernbench/modules/fabric/arrival_node.h>
#include <kernbench/platform/elab/registry.h>
#include <kernbench/platform/params/forwarding_params.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace example {

struct PriorityRouterParams {
  std::int64_t urgent_bytes = 4096;

  static const kb::params::FieldTable& fields();
};

// Flits of messages of at most urgent_bytes leave before flits of longer messages that wait for the same wire; within a
// priority, flits leave in the order in which they are ready. Otherwise the timing is that of the built-in router.
class PriorityRouter final : public kb::modules::ArrivalNode {
 public:
  PriorityRouter(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::ForwardingParams& kind,
                 const PriorityRouterParams& params, kb::elab::BlockContext& context);
  void collect_statistics(std::vector<kb::elab::Statistic>& statistics) const override;

 private:
  struct Ready {
    kb::TimeFs at{};
    Arrival flit;
  };
  struct Outlet {
    std::deque<Ready> urgent, others;
  };

  void on_arrival(const Arrival& flit) override;
  void on_wake() override;
  void on_departure(const Arrival& flit) override;
  void serve(std::uint16_t out_port);

  kb::TimeFs overhead_;
  std::uint64_t urgent_bytes_;
  std::vector<Outlet> outlets_;  // by out-port
  std::int64_t overtaken_ = 0;
};

// Used by the plug-in and by its test.
inline kb::elab::BlockDefinition priority_router() {
  return {kb::topology::NodeKind::noc_router, "custom.priority_router", PriorityRouterParams::fields(),
          kb::elab::make_custom_factory<PriorityRouter, kb::params::ForwardingParams, PriorityRouterParams>()};
}

}  // namespace example
