// A router whose RTL is simulated.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/fabric/arrival_node.h"
#include "modules/fabric/sliding_deque.h"
#include "modules/rtl/router_model.h"
#include "modules/rtl/router_signals.h"
#include "modules/rtl/rtl_clock.h"
#include "modules/rtl/rtl_pins.h"
#include "platform/elab/registry.h"
#include "platform/params/transit_params.h"

namespace kb::modules {

struct RtlRouterParams {
  Gigahertz clock{1.0};
  Nanoseconds phase;
  std::int64_t fifo_depth = 4;
  RtlGate gate = RtlGate::on;
  bool pins = false;
  bool check_unknown = true;
  std::int64_t hang_cycles = 10'000;

  static const params::FieldTable& fields();
};

// Models: a router, clock edge by clock edge; zero-byte messages go past it and pay overhead_ns concurrently. Does not
// model: back-pressure towards its neighbours, whose wires have none: what finds a full queue waits in front of it.
// Timing: rising edges at phase + n T. An edge samples the flits that arrived strictly before it; a flit that the RTL
// shows behind an edge leaves at that edge, or when its wire is free, and out_ready is 1 at the next edge if that was
// before it. With the router in the repository a flit that arrives at t and finds no other leaves at the second edge
// after t. Without flits and with busy = 0 the clock stands still: no events; `gate: off` makes up for these edges when
// the next flit comes, which gives the same times as long as the RTL does nothing by itself.
class RtlRouter final : public ArrivalNode, private IPinSource {
 public:
  RtlRouter(const sc_core::sc_module_name& name, NodeId node, const params::TransitParams& kind,
            const RtlRouterParams& params, const RtlMaker<IRouterModel>& make, elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  static constexpr std::uint32_t kNoLane = IRouterModel::kPorts;
  // What the RTL has, by its tag.
  struct Inside {
    Arrival flit;
    bool used = false;
  };
  // A port of the RTL.
  struct Lane {
    std::uint16_t port = 0;         // of the node
    SlidingDeque<Arrival> waiting;  // arrived, not sampled yet
    std::uint64_t offered = 0;      // the first of them, as the RTL sees it; 0: not yet
    std::uint64_t shown = 0;        // what the RTL puts out and could not leave
  };

  void on_arrival(const Arrival& flit) override;
  void on_wake() override;
  void show_pins();
  std::uint32_t lane_of(std::uint16_t port, const Arrival& flit) const;
  void skip_to(std::int64_t number);
  void show_edge(std::int64_t number) override;
  const IRouterModel::Outputs& clock();
  void offer();
  void edge();
  void take_outputs(const IRouterModel::Outputs& pins);
  bool take_output(Lane& lane, std::uint32_t index, std::uint64_t flit);
  std::uint64_t enter(const Arrival& flit, std::uint32_t out_lane);
  void watch(bool moved);
  [[noreturn]] void fail(RtlFault fault, const std::string& what) const;

  TimeFs overhead_;
  RtlRouterParams params_;
  RtlClock clock_;
  RouterRunner rtl_;
  IRouterModel::Inputs in_;
  std::unique_ptr<RouterPins> pins_;         // null: no waveforms
  std::unique_ptr<RouterSignals> signals_;   // null: no signals of SystemC
  IRouterModel::Inputs shown_in_;            // before the last edge
  IRouterModel::Outputs shown_out_, out_;    // after the edge before the last one, and after the last one
  std::vector<std::uint32_t> lane_of_port_;  // kNoLane: carries messages only
  std::vector<Lane> lanes_;
  std::vector<Inside> inside_;  // tag - 1
  std::vector<std::uint32_t> free_;
  std::int64_t clocked_ = 0;      // edges
  std::int64_t next_number_ = 0;  // of the first edge that the RTL has not seen
  std::int64_t silent_ = 0;       // edges without progress
  TimeFs edge_ = kNever;          // the next one
  std::int64_t flits_ = 0;
  std::size_t most_waiting_ = 0;
};

// Registers `impl` as a router of the cube's mesh with this RTL.
elab::BlockDefinition rtl_router_block(const std::string& impl, RtlMaker<IRouterModel> make);

}  // namespace kb::modules
