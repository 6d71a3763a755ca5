// A router with the rules of the built-in one, as short as possible: a template for other rules.
#pragma once

#include <kernbench/modules/fabric/arrival_node.h>
#include <kernbench/platform/params/forwarding_params.h>

namespace example {

// Timing: a flit is ready overhead_ns after its arrival and leaves when the wire is free, in order of (ready, arrival).
class PlainRouter final : public kb::modules::ArrivalNode {
 public:
  PlainRouter(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::ForwardingParams& params,
              kb::elab::BlockContext& context)
      : ArrivalNode(name, node, context), overhead_(params.overhead.time()) {}

 private:
  void on_arrival(const Arrival& flit) override { depart(flit, flit.time() + overhead_); }

  kb::TimeFs overhead_;
};

}  // namespace example
