// Routers whose times depend on what was before: a pointer that turns with every flit, and a clock.
#include <algorithm>

#include "modules/fabric/arrival_node.h"
#include "platform/elab/block_plugin.h"
#include "platform/params/forwarding_params.h"

namespace {

using namespace kb::literals;
using kb::TimeFs;

class Router : public kb::modules::ArrivalNode {
 public:
  Router(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::ForwardingParams& params,
         kb::elab::BlockContext& context)
      : ArrivalNode(name, node, context), overhead_(params.overhead.time()) {}

 protected:
  void on_arrival(const Arrival& flit) override {
    last_ = std::max(last_, ready(flit.time() + overhead_));
    depart(flit, last_);
  }
  virtual TimeFs ready(TimeFs time) = 0;

 private:
  TimeFs overhead_, last_ = 0_fs;
};

// Every seventh flit waits.
class TurningRouter final : public Router {
 public:
  using Router::Router;

 private:
  TimeFs ready(TimeFs time) override { return ++turn_ % 7 == 0 ? time + 3_ns : time; }
  int turn_ = 0;
};

// Flits leave at edges of a clock.
class ClockedRouter final : public Router {
 public:
  using Router::Router;

 private:
  TimeFs ready(TimeFs time) override {
    constexpr TimeFs kPeriod = 1700000_fs;
    return (time + kPeriod - 1_fs) / kPeriod * kPeriod;
  }
};

}  // namespace

KERNBENCH_BLOCKS(catalog) {
  using kb::elab::make_factory;
  using kb::params::ForwardingParams;
  const auto kind = kb::topology::NodeKind::noc_router;
  catalog.add_block({kind, "custom.turning", kb::params::no_fields(), make_factory<TurningRouter, ForwardingParams>()});
  catalog.add_block({kind, "custom.clocked", kb::params::no_fields(), make_factory<ClockedRouter, ForwardingParams>()});
}
