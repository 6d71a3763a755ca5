// The sending side of one directed edge: a FIFO wire shared by both socket directions (F-24 .. F-30).
#pragma once

#include <cstdint>
#include <memory>

#include "modules/fabric/flit_stream.h"
#include "modules/fabric/sliding_deque.h"
#include "modules/fabric/wire_hops.h"
#include "modules/fabric/wire_waves.h"
#include "platform/base/quantities.h"
#include "platform/record/recorded_resource.h"

namespace kb::modules {

// Observer of the commits and cuts of a wire: the node that sends on the wire.
class IWireUser {
 public:
  // Flits of a committed stream will arrive as described by the segment.
  virtual void on_committed(const FlitStream& flits, const payload::Segment& segment) = 0;
  // Flits of a committed stream are rolled back, and the node must queue them again. Their arrivals were in `window`.
  virtual void on_cut(const FlitStream& rolled_back, const TimeWindow& window) = 0;

 protected:
  ~IWireUser() = default;
};

// A flit that is ready at d occupies the wire for bytes / bandwidth, followed by the propagation (F-28):
//   start = max(d, available), available = start + occupancy, delivered at available + propagation.
// A zero-byte message that is ready at z leaves at max(z, available), without advancing `available` (F-30).
//
// Flits are committed in order of their arrival keys at the node, possibly before they arrive, and can be cut back
// until they are in the past. A commit is a batch: one stream, or several interleaved streams. A single stream with
// arrivals a_i = a0 + i*s that may not leave before `floor` has a closed formula: with m = max(available, floor, a0)
// and occupancy o, the wire is free after flit i at
//   m + o + max(i*o, i*s - (m - a0)).
// The streams of a larger batch are merged flit by flit; the batch stores only the streams, and merges them again for
// queries.
class Wire {
 public:
  struct Params {
    std::uint32_t flit_bytes = 256;
    bool keep_until_sent = false;  // required by slip_message()
    TimeFs occupancy = 0_fs;       // time that a full flit occupies the wire
    TimeFs propagation = 1_fs;     // at least 1 fs
    Bandwidth bw;                  // unlimited = no serialisation
  };

  struct Statistics {
    std::uint64_t flits = 0;
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    TimeFs busy = 0_fs;
    TimeFs longest_wait = 0_fs;  // longest time between a flit's readiness and its start on the wire
  };

  void configure(const Params& params) { params_ = params; }
  const Params& params() const { return params_; }
  // Prefetches the memory of a commit into the cache; the second step uses the result of the first.
  void prefetch() const {
    const auto* const begin = reinterpret_cast<const char*>(&available_);
    for (int i = 0; i < kHotBytes; i += kCacheLine) __builtin_prefetch(begin + i, 1);
  }
  void prefetch_state() const { __builtin_prefetch(&available_); }
  void prefetch_records() const {
    batches_.prefetch_front();
    batches_.prefetch_back();
    streams_.prefetch_back();
  }

  // True when 1 .. kMaxStreams streams can be committed without passing the end of simulated time. The bound: all of
  // their flits back to back, beginning at the latest time at which the wire could be idle.
  bool fits(const FlitStream* streams, std::size_t count, TimeFs floor) const {
    TimeFs idle = std::max(available_, floor);
    std::uint64_t flits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const FlitStream& stream = streams[i];
      const TimeFs last =
          stream.spacing == 0_fs ? stream.time : time_sum(stream.time, time_product(stream.count - 1, stream.spacing));
      idle = std::max(idle, last);
      flits += stream.count;
    }
    return time_sum(idle, time_product(flits, params_.occupancy)) <= kTimeEnd - params_.propagation;
  }
  // Commits all flits of 1 .. kMaxStreams streams that may not leave before `floor`. All keys must be above those of
  // earlier commits. A stream with its own flit size (flit_bytes) must be alone or a single flit.
  void commit(const FlitStream* streams, std::size_t count, TimeFs floor, IWireUser& user);

  // Rolls back all committed flits whose arrival key is not below `limit`.
  void cut(const ArrivalKey& limit, IWireUser& user);
  bool has_at_or_after(const ArrivalKey& limit) const { return latest_time_ >= limit.time && reaches(limit); }
  // Finds the first committed flit of the leg with index >= `first` that is not ready before the latest retire();
  // returns true and its arrival key. All such flits became ready within the window, which bounds the search.
  bool find(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, ArrivalKey& key,
            const TimeWindow& window = {}) const;
  // Number of batches that are not retired.
  std::size_t batches() const { return batches_.size(); }
  // When the wire is free after all committed flits.
  TimeFs available() const { return available_; }

  // Sends a zero-byte message that is ready at `ready` and arrived with `key`; `out.time` is its delivery. All flits
  // that are ready earlier must have been committed.
  void send_message(TimeFs ready, const ArrivalKey& key, payload::Segment& out);
  // Sends a command at the end of the flit in transfer at `ready`; for wires without batches.
  void slip_message(TimeFs ready, payload::Segment& out);

  // Counts and removes batches that can no longer change or be queried at times >= now. Must be called before every
  // query about a transaction, which may have been reused, and before commits, to keep the record short.
  void retire(TimeFs now);
  // Reports to waveforms what is final before `now`; flits that are not committed yet become ready at `waiting` or
  // later. Returns the time from which more reports may come, at most `now`.
  TimeFs show_until(TimeFs now, TimeFs waiting);
  bool has_waves() const { return viewers_ != nullptr && viewers_->waves != nullptr; }

  const Statistics& statistics() const { return statistics_; }
  // Queue length, in full flits, before the flit that waited longest.
  std::uint64_t deepest_queue() const { return queue_before(statistics_.longest_wait); }

  // Records the uses of the wire, and whose they are, when batches are retired.
  void record_in(const record::RecordedResource& resource) { use_ = resource; }
  // Reports waveforms when batches are retired. `wire` is the wire's name at the node.
  void observe(contract::ISignalObserver& observer, const std::string& node, const std::string& wire) {
    auto waves = std::make_unique<WireWaves>(observer, node, wire);
    if (waves->wanted()) viewers().waves = std::move(waves);
  }
  // Traces transactions over this wire, from node `from` to node `to`, when batches are retired.
  void follow(payload::IHopObserver& observer, NodeId from, NodeId to) {
    viewers().hops = std::make_unique<WireHops>(observer, from, to, params_.propagation);
  }
  // A message that has been sent on a wire with a hop observer.
  void follow_message(const payload::Hop& message) { viewers().hops->add_message(message); }

 private:
  static constexpr int kHotBytes = 192, kCacheLine = 64;
  static constexpr int kStreamBits = 5;

  // Flits that were committed together; their streams are the next `streams` elements of streams_.
  struct alignas(64) Batch {
    TimeFs floor = 0_fs;
    TimeFs available_before = 0_fs;
    TimeFs available_after = 0_fs;
    TimeFs longest_wait = 0_fs;
    TimeFs last_time = 0_fs;
    std::uint64_t out_sequence = 0;
    std::uint32_t flits = 0;
    std::uint32_t streams : kStreamBits;
    std::uint32_t begin : 32 - kStreamBits;  // running number of its first stream

    Batch() : streams(0), begin(0) {}
  };
  static_assert(sizeof(Batch) == kCacheLine && kMaxStreams < 1U << kStreamBits);
  // Closed formulas for a batch with one stream.
  struct SingleStream {
    const FlitStream& flits;
    TimeFs floor;
    TimeFs occupancy;
    TimeFs start;  // m in the formula of Wire

    TimeFs ready(std::uint32_t i) const { return std::max(flits.time_of(i), floor); }
    TimeFs available_after(std::uint32_t i) const {
      return start + occupancy + std::max(i * occupancy, i * flits.spacing - (start - flits.time));
    }
    // Number of flits that leave back to back; later ones leave when they are ready.
    std::uint32_t packed() const {
      if (flits.count == 1 || flits.spacing <= occupancy) return flits.count;
      const std::int64_t backlog = periods(start - flits.time, flits.spacing - occupancy);
      return static_cast<std::uint32_t>(std::min<std::int64_t>(backlog, flits.count));
    }
    TimeFs longest_wait() const;
    TimeFs wait(std::uint32_t first, std::uint32_t count) const;
  };

  // Index of the first stream of a batch.
  std::size_t base_of(std::size_t batch) const {
    constexpr std::uint32_t kMask = ~std::uint32_t{0} >> kStreamBits;
    return (batches_[batch].begin - batches_.front().begin) & kMask;
  }
  // Number of batches at the front for which `holds` is true.
  template <typename F>
  std::size_t count_leading(F&& holds) const {
    std::size_t low = 0;
    for (std::size_t high = batches_.size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  SingleStream single(const Batch& batch, const FlitStream& flits) const {
    return {flits, batch.floor, occupancy_of(flits), std::max({batch.available_before, batch.floor, flits.time})};
  }
  TimeFs occupancy_of(const FlitStream& flits) const {
    if (flits.flit_bytes == 0) return params_.occupancy;
    if (flits.flit_bytes != latest_short_.bytes)
      latest_short_ = {flits.flit_bytes, params_.bw.occupancy(flits.flit_bytes)};
    return latest_short_.occupancy;
  }
  // Occupancy of the wire by one flit.
  struct Passage {
    TimeFs ready, start, end;
  };
  // Calls f(stream, index in the stream, passage) for the first `flits` flits in order.
  template <typename F>
  void merge(const Batch& batch, std::size_t base, std::uint32_t flits, F&& f) const;
  void announce_single(const Batch& batch, const FlitStream& flits, IWireUser& user);
  void announce_streams(Batch& batch, std::size_t base, IWireUser& user);
  void measure(Batch& batch, std::size_t base);
  // Sum of the waits of each stream's flits, in a batch of several streams.
  struct StreamWaits {
    TimeFs of[kMaxStreams];

    void add(std::uint32_t stream, TimeFs wait, Batch& batch) {
      batch.longest_wait = std::max(batch.longest_wait, wait);
      accumulate(of[stream], wait);
    }
  };
  void measure_single(Batch& batch, const FlitStream& flits) const;
  TimeFs available_after(const Batch& batch, std::size_t base, std::uint32_t flits) const;
  bool reaches(const ArrivalKey& limit) const;
  void depart_message(TimeFs at, std::uint64_t behind, bool last, payload::Segment& out);
  std::uint64_t bytes_of(const FlitStream& flits) const;
  void count(const FlitStream& flits);
  void discount(const FlitStream& flits);
  // Records and accounts for the oldest batch.
  void record(const Batch& batch) {
    batch.streams == 1 ? record_single(batch, streams_.front()) : record_several(batch);
  }
  void record_several(const Batch& batch);
  void record_single(const Batch& batch, const FlitStream& flits) const;
  TimeFs record_queued(const Batch& batch, const FlitStream& flits) const;
  std::uint64_t queue_before(TimeFs wait) const {
    return wait == 0_fs || params_.occupancy == 0_fs ? 0 : static_cast<std::uint64_t>(periods(wait, params_.occupancy));
  }
  // Optional per-flit observers (waveforms, hop traces), allocated on demand because few runs have any.
  struct Viewers {
    std::unique_ptr<WireWaves> waves;
    std::unique_ptr<WireHops> hops;
    std::uint32_t shown = 0;                      // number of flits of the oldest batch that waveforms already have
    SlidingDeque<ShownTransaction> transactions;  // one for each stream of the wire if they are wanted, else empty

    bool want_transactions() const { return hops != nullptr || (waves != nullptr && waves->shows_flits()); }
    ShownTransaction transaction(std::size_t stream) const {
      return transactions.empty() ? ShownTransaction{} : transactions[stream];
    }
    // After a cut: the stream `from` is the stream `to` now, whole or without its end.
    void keep(std::size_t from, std::size_t to, bool whole) {
      if (transactions.empty()) return;
      transactions[to] = transactions[from];
      transactions[to].ends = transactions[to].ends && whole;
    }
    void resize(std::size_t streams) {
      while (transactions.size() > streams) transactions.pop_back();
    }
    void pop_front(std::size_t streams) {
      for (; streams > 0 && !transactions.empty(); --streams) transactions.pop_front();
    }
    void finish() const;
  };
  Viewers& viewers() {
    if (viewers_ == nullptr) viewers_ = std::make_unique<Viewers>();
    return *viewers_;
  }
  void note_transactions(std::size_t base);
  void show(const Batch& batch) const;
  void show_front(TimeFs until);

  void keep_waits(const StreamWaits& batch, std::uint32_t streams) {
    if (!use_) return;
    for (std::uint32_t j = 0; j < streams; ++j) waits_.push_back() = batch.of[j];
  }
  // Forgets the waits of the newest batch.
  void drop_waits(std::uint32_t streams) {
    if (!use_ || streams == 1) return;
    for (; streams > 0; --streams) waits_.pop_back();
  }

  struct Short {
    std::uint32_t bytes = 0;
    TimeFs occupancy = 0_fs;
  };

  // Rarely used members come first; the members that every commit touches follow, so that a port can keep them in whole
  // cache lines.
  std::uint64_t message_sequence_ = 0;  // sequence of the latest message
  TimeFs retired_ = 0_fs;               // time of the latest retire()
  mutable Short latest_short_;          // cached, because several functions need the division for one flit
  SlidingDeque<TimeFs> waits_;          // when recorded, for each stream in a batch of several: the sum of its waits

  TimeFs available_ = 0_fs;
  TimeFs latest_time_ = -1_fs;  // upper bound of the last arrival in the newest batch
  SlidingDeque<Batch> batches_;
  SlidingDeque<FlitStream> streams_;
  std::unique_ptr<Viewers> viewers_;
  record::RecordedResource use_;  // empty: not recorded
  std::uint64_t next_sequence_ = payload::kSequenceStep;
  Params params_;
  Statistics statistics_;
};

}  // namespace kb::modules
