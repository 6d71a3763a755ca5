// A block that only forwards messages: NoC routers, tray switch, UCIe endpoints and connections, io_noc.
#pragma once

#include <cstdint>
#include <vector>

#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/fabric_node.h"
#include "platform/params/forwarding_params.h"
#include "platform/record/recorded_resource.h"

namespace kb::modules {

// Models: a constant latency, or header decoding by one serial worker (F-45 .. F-47, F-51), and the merging of streams;
// zero-byte messages pay the overhead concurrently (F-49). Does not model: route choice, finite buffers. Timing of
// `decode: pipelined`: an arrival at a is ready for its out-edge at a + overhead_ns. Timing of `decode: serial`: a flit
// is ready at max(a, W), where W is the time at which the worker is free; the first flit of a leg sets W = max(a, W) +
// overhead. A zero-byte message is ready at a + overhead. Arrivals leave in order of (ready time, arrival).
//
// Flits wait in a queue of their out-edge. When its wire can take the next flit, all ready flits are committed, and
// announced flits up to the first known competitor within the look-ahead. If a competitor appears later, the wire is
// cut back at the competitor's key, so that all times equal those of flit-by-flit handling.
class ForwardingNode final : public FabricNode, private elab::EventHandler {
 public:
  ForwardingNode(const sc_core::sc_module_name& name, NodeId node, const params::ForwardingParams& params,
                 elab::BlockContext& context);
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

 private:
  struct PendingMessage {
    TimeFs ready = 0_fs;
    ArrivalKey key;
    payload::Transaction* transaction = nullptr;
    payload::Leg leg = payload::Leg::request;
    std::uint16_t hop = 0;
    std::uint16_t out_port = 0;

    struct ByKey {
      ArrivalKey operator()(const PendingMessage& message) const { return message.key; }
    };
  };
  // A pending END of a leg; it is sent when the leg's last flit arrives.
  struct End {
    TimeFs time;
    payload::Transaction* transaction = nullptr;
    payload::Leg leg = payload::Leg::request;
    std::uint16_t in_port = 0;

    struct ByTime {
      TimeFs operator()(const End& end) const { return end.time; }
    };
  };

  void on_flits(FlitStream& flits) override;
  void on_message(payload::Transaction& transaction, const FlitStream& message) override;
  void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg,
                   std::uint32_t first) override;
  // Remove announced arrivals that are rolled back: a header that waits for the worker (false when there is none), the
  // end of a leg.
  bool roll_back_header(const payload::Transaction& transaction, payload::Leg leg, const TimeWindow& arrival);
  void roll_back_end(std::uint16_t port, const payload::Transaction& transaction, payload::Leg leg,
                     const TimeWindow& arrival);
  void roll_back(const FlitStream& flits) override;
  void on_event(TimeFs now, std::uint64_t argument) override;
  TimeFs first_waiting(std::uint16_t port) const override {
    return outlets_[port].empty() ? kNever : outlets_[port].front().time;
  }

  void enqueue(const FlitStream& flits);
  void enqueue_behind_worker(const FlitStream& flits);
  void decode_headers(TimeFs now);
  void note_decode(const FlitStream& header, TimeFs begin);
  bool is_full(std::uint16_t out_port);
  void forward(std::uint16_t out_port, const ArrivalKey& limit);
  void forward_messages(TimeFs now);
  void end_legs(TimeFs now);
  void schedule_flush(std::uint16_t out_port);
  void prefetch() const;
  void adapt_lookahead();
  void wake_at(TimeFs at);
  void schedule_wake();

  TimeFs overhead_;
  bool serial_;
  TimeFs latency_;                    // latency of the pipelined decoder; included in the times of waiting flits
  TimeFs worker_free_ = 0_fs;         // W: when the worker is free; 0 when pipelined
  TimeFs headers_waited_ = 0_fs;      // total waiting time of headers for the worker
  std::uint64_t legs_ = 0;            // number of completely arrived legs; each has one header
  record::RecordedResource decoder_;  // the worker
  TimeFs wake_time_ = kNever;
  TimeFs lookahead_;         // flits that arrive within this time may be committed early
  bool disturbed_ = false;   // flits were rolled back since the last wake
  std::vector<TimeFs> due_;  // per out-port: when the next waiting flit must be put on the wire; kNever when none waits
  std::vector<ArrivalQueue> outlets_;           // per out-port: flits that wait for the wire, except headers_
  SortedQueue<FlitStream, StreamKey> headers_;  // first flits that wait for the worker
  SortedQueue<PendingMessage, PendingMessage::ByKey> messages_;
  SortedQueue<End, End::ByTime> ends_;
};

}  // namespace kb::modules
