// A router with the rules of the built-in one, as short as it can be: a start for rules of your own.
#pragma once

#include <kernbench/modules/fabric/arrival_node.h>
#include <kernbench/platform/params/transit_params.h>

namespace example {

// Timing: what has arrived is ready overhead_ns later and leaves as soon as the wire is free, in order of (ready,
// arrival).
class PlainRouter final : public kb::modules::ArrivalNode {
 public:
  PlainRouter(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::TransitParams& params,
              kb::elab::BlockContext& context)
      : ArrivalNode(name, node, context), overhead_(params.overhead.time()) {}

 private:
  void on_arrival(const Arrival& flit) override { depart(flit, flit.time() + overhead_); }

  kb::TimeFs overhead_;
};

}  // namespace example
