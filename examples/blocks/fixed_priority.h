// A router whose inputs have fixed priorities, so that some of them can starve.
#pragma once

#include <kernbench/modules/fabric/arrival_node.h>
#include <kernbench/platform/elab/registry.h>
#include <kernbench/platform/params/forwarding_params.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace example {

// For each wire, the flit of the lowest input that is ready leaves next; of one input, flits leave in their order. The
// timing of a flit that meets no other is that of the built-in router. It declares a resource with a unit per wire and
// tells apart whether a flit waits for those before it or because others overtake it.
class FixedPriority final : public kb::modules::ArrivalNode {
 public:
  FixedPriority(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::ForwardingParams& kind,
                kb::elab::BlockContext& context);

 private:
  struct Waiting {
    Arrival flit;
    kb::TimeFs ready{}, overtaken{};  // how long flits that became ready later were served before it
  };
  struct Outlet {
    std::vector<std::deque<Waiting>> inputs;  // by in-port
    Waiting granted;
    bool leaving = false;  // `granted` has been offered to the wire
  };

  void on_arrival(const Arrival& flit) override;
  void on_wake() override;
  void on_departure(const Arrival& flit) override;
  void grant(std::uint16_t out_port);

  kb::TimeFs overhead_;
  std::vector<Outlet> outlets_;  // by out-port
  kb::resource::Resource& grant_;
};

}  // namespace example
