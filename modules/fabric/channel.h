// The sending side of one directed edge: a FIFO wire shared by both socket directions (F-24 .. F-30).
#pragma once

#include <cstdint>

#include "modules/fabric/flit_run.h"
#include "modules/fabric/ring_deque.h"
#include "platform/elab/signal_observer.h"

namespace kb::modules {

// A flit that is ready at d costs its bytes / bandwidth once and then the propagation (F-28):
//   start = max(d, available), available = start + occupancy, delivered at available + propagation.
// A zero-byte message ready at z leaves at max(z, available) without advancing it (F-30).
//
// Flits are committed as runs, in order of their arrival keys at the node, possibly before they arrive; runs that are
// not final yet can be cut back. For a run of arrivals a_i = a0 + i*s that may not leave before `floor`, with
// m = max(available, floor, a0) and occupancy o, the wire is free again after flit i at
//   m + o + max(i*o, i*s - (m - a0)).
class Channel {
 public:
  struct Params {
    std::uint32_t flit_bytes = 256;
    TimeFs occupancy = 0;          // of a full flit
    TimeFs propagation = 1;        // at least 1 fs
    double bw_gbs = 0.0;           // 0 = no serialisation
    bool keep_until_sent = false;  // needed for slip departures
  };

  // Committed flits of one FlitRun with what is needed to know every departure.
  struct Run {
    FlitRun flits;
    TimeFs floor = 0;
    TimeFs start = 0;  // m above
    TimeFs occupancy = 0;
    TimeFs available_before = 0;
    std::uint64_t out_sequence = 0;
    std::uint32_t flit_bytes = 0;

    TimeFs ready(std::uint32_t i) const { return std::max(flits.time_of(i), floor); }
    TimeFs available_after(std::uint32_t i) const {
      const TimeFs n = static_cast<TimeFs>(i);
      return start + occupancy + std::max(n * occupancy, n * flits.spacing - (start - flits.time));
    }
  };

  struct Statistics {
    std::uint64_t flits = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    TimeFs busy = 0;
    TimeFs longest_wait = 0;  // of a flit between being ready and starting on the wire
  };

  // Where withdrawn flits go back to, and how the receiver is told.
  class ICutHandler {
   public:
    virtual void on_cut(const FlitRun& withdrawn) = 0;  // latest first

   protected:
    ~ICutHandler() = default;
  };

  void configure(const Params& params) { params_ = params; }
  const Params& params() const { return params_; }

  // Commits all flits of `flits`, `flit_bytes` each; their delivery times are returned as one or two segments in `out`.
  // Keys must be above those of all committed flits. Returns the number of segments.
  int commit(const FlitRun& flits, TimeFs floor, std::uint32_t flit_bytes, payload::Segment out[2]);

  // Withdraws every committed flit whose arrival key is not below `limit`.
  void cut(const ArrivalKey& limit, ICutHandler& handler);
  bool has_at_or_after(const ArrivalKey& limit) const {
    if (latest_arrival_ < limit.time || runs_.empty()) return false;
    const FlitRun& newest = runs_.back().flits;
    return !(newest.key(newest.count - 1) < limit);
  }
  // The first committed flit of the leg with index >= `from`: true and its arrival key.
  bool find(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t from, ArrivalKey& key) const;

  // Departure of a zero-byte message that is ready at `ready` and arrived with `key`; `out.time` is its delivery.
  void send_message(TimeFs ready, const ArrivalKey& key, payload::Segment& out);
  // The same for a command that slips in at the end of the flit in progress at `ready`.
  void slip_message(TimeFs ready, payload::Segment& out);

  // Counts and forgets runs that can no longer change or be asked about at times >= now. Called before every question
  // about a transaction, which may have ended and begun again since, and before the record of runs would grow.
  void settle(TimeFs now);
  bool record_full() const { return runs_.full(); }

  const Statistics& statistics() const { return statistics_; }
  // Flits ahead of the one that waited longest, in full flits.
  std::uint64_t deepest_queue() const {
    return params_.occupancy == 0
               ? 0
               : static_cast<std::uint64_t>((statistics_.longest_wait + params_.occupancy - 1) / params_.occupancy);
  }

  // Reports busy (0/1) and the number of waiting flits of every settled run.
  void observe(elab::ISignalObserver* observer, elab::SignalId busy, elab::SignalId queue);

 private:
  void depart_message(TimeFs at, std::uint64_t behind, bool last, payload::Segment& out);
  void count_run(const Run& run);
  void trace_run(const Run& run);

  TimeFs available_ = 0;
  TimeFs latest_arrival_ = -1;  // of the flits in runs_, or later
  RingDeque<Run> runs_;
  std::uint64_t next_sequence_ = payload::kSequenceStep;
  Params params_;
  Statistics statistics_;
  std::uint64_t message_sequence_ = 0;  // of the latest message
  elab::ISignalObserver* observer_ = nullptr;
  elab::SignalId busy_signal_ = elab::kNoSignal;
  elab::SignalId queue_signal_ = elab::kNoSignal;
};

}  // namespace kb::modules
