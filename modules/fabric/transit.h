// Every position that messages merely cross: NoC routers, tray switch, UCIe endpoints and connections, io_noc.
#pragma once

#include <cstdint>
#include <vector>

#include "modules/fabric/arrival_queue.h"
#include "modules/fabric/fabric_node.h"
#include "platform/params/transit_params.h"
#include "platform/record/activity_series.h"

namespace kb::modules {

// Models: a constant latency, or decoding of headers by one serial worker (F-45 .. F-47, F-51), and the merging of
// streams; zero-byte messages pay the overhead concurrently (F-49). Does not model: route choice, finite buffers.
// Timing of `decode: pipelined`: what arrives at a is ready for its out-edge at a + overhead_ns. Timing of `decode:
// serial`: a flit is ready at max(a, W); for a leg's first flit this becomes W = max(a, W) + overhead; a zero-byte
// message is ready at a + overhead. What is ready leaves in order of (ready time, arrival).
//
// Flits wait in a queue of their out-edge and are put on the wire when it can take them, all that are ready at once and
// a stretch of those that are announced, as far as nothing known comes between. If a competitor shows up later, the
// wire is cut back at the competitor's key, so that every time equals that of flit-by-flit handling.
class Transit final : public FabricNode, private elab::EventHandler {
 public:
  Transit(const sc_core::sc_module_name& name, NodeId node, const params::TransitParams& params,
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
  // END is due when the last flit of a leg is here.
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
  // Forget what was announced: a header that needs the worker (false: there is none), the end of a leg.
  bool roll_back_header(const payload::Transaction& transaction, payload::Leg leg, const TimeWindow& arrival);
  void roll_back_end(std::uint16_t port, const payload::Transaction& transaction, payload::Leg leg,
                     const TimeWindow& arrival);
  void roll_back(const FlitStream& flits) override;
  void on_event(TimeFs now, std::uint64_t argument) override;

  void enqueue(const FlitStream& flits);
  void enqueue_behind_worker(const FlitStream& flits);
  void decode_headers(TimeFs now);
  void note_decode(TimeFs arrived, TimeFs begin);
  bool is_full(std::uint16_t out_port);
  void forward(std::uint16_t out_port, const ArrivalKey& limit);
  void forward_messages(TimeFs now);
  void end_legs(TimeFs now);
  void note_due(std::uint16_t out_port);
  void prefetch() const;
  void adapt_lookahead();
  void wake_at(TimeFs at);
  void schedule_wake();

  TimeFs overhead_;
  bool serial_;
  TimeFs latency_;                             // of the pipelined decoder; part of the times of everything that waits
  TimeFs worker_free_ = 0_fs;                  // W; stays 0 when pipelined
  TimeFs headers_waited_ = 0_fs;               // for the worker
  std::uint64_t legs_ = 0;                     // that have passed, each with a header
  record::ActivitySeries* decoder_ = nullptr;  // of the worker; null when nobody wants to know
  TimeFs wake_time_ = kNever;
  TimeFs lookahead_;         // flits that arrive so soon may be forwarded ahead of their arrival
  bool disturbed_ = false;   // flits were rolled back since the last wake
  std::vector<TimeFs> due_;  // by out-port: when the next waiting flit has to be put on the wire, kNever = none
  std::vector<ArrivalQueue> outlets_;  // by out-port: what waits for the wire; without first flits that need the worker
  SortedQueue<FlitStream, StreamKey> headers_;  // first flits that need the worker
  SortedQueue<PendingMessage, PendingMessage::ByKey> messages_;
  SortedQueue<End, End::ByTime> ends_;
};

}  // namespace kb::modules
