// A router with the rules of the built-in one, as short as it can be: a start for rules of your own.
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "modules/fabric/arrival_node.h"
#include "platform/params/transit_params.h"

namespace example {

// Timing: a header is ready overhead_ns after it arrived, the later flits of its message when they have arrived, but
// not before it. What is ready leaves as soon as the wire is free, in order of (ready, arrival).
class PlainRouter final : public kb::modules::ArrivalNode {
 public:
  PlainRouter(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::TransitParams& params,
              kb::elab::BlockContext& context)
      : ArrivalNode(name, node, context), overhead_(params.overhead.fs()) {}

 private:
  void on_arrival(const Arrival& flit) override {
    kb::TimeFs ready = flit.time();
    if (flit.is_first()) {
      ready += overhead_;
      if (!flit.is_last()) headers_[{flit.transaction().id, flit.leg()}] = ready;
    } else {
      const auto header = headers_.find({flit.transaction().id, flit.leg()});
      ready = std::max(ready, header->second);
      if (flit.is_last()) headers_.erase(header);
    }
    depart(flit, ready);
  }

  kb::TimeFs overhead_;
  std::map<std::pair<std::uint64_t, kb::payload::Leg>, kb::TimeFs> headers_;  // when the header of a leg is ready
};

}  // namespace example
