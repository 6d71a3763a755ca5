// Every position that messages merely cross: NoC routers, tray switch, UCIe endpoints and connections, io_noc.
#pragma once

#include <cstdint>
#include <vector>

#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/fabric_node.h"

namespace kb::modules {

// Models: one serial decode worker that takes flits in arrival order and holds the first flit of each leg for
// `overhead_ns` (F-45 .. F-47, F-51); zero-byte messages pay the overhead concurrently and skip the worker (F-49).
// Does not model: route choice, finite buffers.
// Timing: a flit arriving at a is ready for its out-edge at max(a, W); for a leg's first flit this becomes
// W = max(a, W) + overhead. A zero-byte message arriving at a is ready at a + overhead.
//
// Flits are forwarded in runs. A run whose first flit is here is forwarded at once as far as nothing known competes for
// the out-edge; if a competitor shows up later, the promise is cut back at the competitor's key and the rest is taken
// again, so that every time equals that of flit-by-flit handling.
class Transit final : public FabricNode, private elab::EventHandler {
 public:
  Transit(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context);
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  void on_flits(const FlitRun& flits) override;
  void on_message(payload::Transaction& transaction, const FlitRun& message) override;
  void on_withdrawn(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                    std::uint32_t first) override;
  void take_back(const FlitRun& flits) override;
  void on_event(TimeFs now, std::uint64_t argument) override;

  void forward_flits(TimeFs now);
  bool make_way(const FlitRun& flits, bool header);
  std::uint32_t undisputed(const FlitRun& flits) const;
  void note_front(std::uint16_t port);
  void forward_messages(TimeFs now);
  void end_legs(TimeFs now);
  void note_last_flit(const FlitRun& flits, TimeFs now);
  void wake_at(TimeFs at);
  void schedule_wake();

  // What has been promised to this node but not been forwarded yet, by port.
  struct Inlet {
    ArrivalQueue waiting;
    // Forwarded legs whose last flits are still to arrive: END is due then. In arrival order.
    struct End {
      TimeFs time;
      payload::Transaction* transaction;
      payload::Leg leg;
    };
    RingDeque<End> ends;
  };
  struct PendingMessage {
    TimeFs ready;
    ArrivalKey key;
    payload::Transaction* transaction;
    payload::Leg leg;
    std::uint16_t hop;
    std::uint16_t out_port;
  };

  TimeFs overhead_;
  TimeFs worker_free_ = 0;  // W
  std::vector<Inlet> inlets_;
  std::vector<TimeFs> next_arrival_;    // by port: of the first waiting flit
  std::uint64_t end_mask_ = 0;          // ports with an END due
  RingDeque<PendingMessage> messages_;  // by (ready, key)
  TimeFs wake_time_ = kNever;
  std::uint32_t lookahead_;  // flits that may be forwarded ahead of their arrival in one wake
  bool disturbed_ = false;   // flits were taken back since the last wake
};

}  // namespace kb::modules
