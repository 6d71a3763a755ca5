// A router whose RTL is simulated.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/fabric/arrival_node.h"
#include "modules/fabric/sliding_deque.h"
#include "modules/rtl/pin_use.h"
#include "modules/rtl/router_model.h"
#include "modules/rtl/router_signals.h"
#include "modules/rtl/rtl_clock.h"
#include "modules/rtl/rtl_pins.h"
#include "platform/elab/registry.h"
#include "platform/params/forwarding_params.h"

namespace kb::modules {

// Pins of `busy_when` and `stall_when`, in the order of tell_use().
const std::vector<std::string>& router_pins();

struct RtlRouterParams {
  Gigahertz clock{1.0};
  Nanoseconds phase;
  std::int64_t fifo_depth = 4;
  RtlGate gate = RtlGate::on;
  bool pins = false;
  bool check_unknown = true;
  std::int64_t hang_cycles = 10'000;
  PinText<router_pins> busy_when{"busy"};
  PinText<router_pins> stall_when{"in_valid & !in_taken, out_valid & !out_ready"};

  static const params::FieldTable& fields();
};

// Models: a router, clock edge by clock edge; zero-byte messages bypass it and pay overhead_ns concurrently.
// Does not model: back-pressure to the neighbours, whose wires have none: a flit that finds a full queue waits in front
// of it.
// Timing: rising edges at phase + n T. An edge samples the flits that arrived strictly before it. A flit that the RTL
// drives after an edge leaves at that edge, or when its wire is free; out_ready is 1 at the next edge if it has left
// before that edge. In the router of the repository, a flit that arrives at t and meets no other flit leaves at the
// second edge after t. Without flits and with busy = 0 the clock is stopped, without events. With `gate: off` these
// edges are simulated later, when the next flit comes, which gives the same times unless the RTL acts without input.
class RtlRouter final : public ArrivalNode, private IPinSource {
 public:
  RtlRouter(const sc_core::sc_module_name& name, NodeId node, const params::ForwardingParams& kind,
            const RtlRouterParams& params, const RtlMaker<IRouterModel>& make, elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;
  void conclude() override;

 private:
  static constexpr std::uint32_t kNoLane = IRouterModel::kPorts;
  // Flits inside the RTL, by tag.
  struct Inside {
    Arrival flit;
    bool used = false;
  };
  // A port of the RTL.
  struct Lane {
    std::uint16_t port = 0;         // port of the node
    SlidingDeque<Arrival> waiting;  // arrived, not sampled yet
    std::uint64_t offered = 0;      // RTL encoding of the first waiting flit; 0: not encoded yet
    std::uint64_t shown = 0;        // flit that the RTL drives and that could not leave yet
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
  void tell_use(const IRouterModel::Outputs& pins);
  bool take_output(Lane& lane, std::uint32_t index, std::uint64_t flit);
  std::uint64_t enter(const Arrival& flit, std::uint32_t out_lane);
  void watch(bool moved);
  [[noreturn]] void fail(RtlFault fault, const std::string& what) const;

  TimeFs overhead_;
  RtlRouterParams params_;
  RtlClock clock_;
  RouterRunner rtl_;
  IRouterModel::Inputs in_;
  PinUse use_;
  std::uint8_t shown_valid_ = 0;             // out_valid after the edge before
  bool was_busy_ = false;                    // after the edge before
  std::unique_ptr<RouterPins> pins_;         // null: no waveforms
  std::unique_ptr<RouterSignals> signals_;   // null: no SystemC signals
  IRouterModel::Inputs shown_in_;            // before the last edge
  IRouterModel::Outputs shown_out_, out_;    // after the edge before the last one, and after the last one
  std::vector<std::uint32_t> lane_of_port_;  // kNoLane: carries only messages
  std::vector<Lane> lanes_;
  std::vector<Inside> inside_;  // index: tag - 1
  std::vector<std::uint32_t> free_;
  std::int64_t clocked_ = 0;      // number of edges
  std::int64_t next_number_ = 0;  // number of the first edge that the RTL has not seen
  std::int64_t silent_ = 0;       // number of edges without progress
  TimeFs edge_ = kNever;          // time of the next edge
  std::int64_t flits_ = 0;
  std::size_t most_waiting_ = 0;
};

// Defines `impl` as a router of the cube's mesh with this RTL.
elab::BlockDefinition rtl_router_block(const std::string& impl, RtlMaker<IRouterModel> make);

}  // namespace kb::modules
