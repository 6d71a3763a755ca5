// Evenly spaced flits of one leg, and the order in which a node handles arrivals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "platform/account/place.h"
#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// Maximum number of streams in one batch.
inline constexpr std::size_t kMaxStreams = 16;

// A node handles flits in order of (time, port, sequence on that edge); ports are numbered by incoming edge index. The
// time is the arrival time plus the latency of a pipelined decoder.
struct ArrivalKey {
  TimeFs time = 0_fs;
  std::uint32_t port = 0;
  std::uint64_t sequence = 0;
  std::uint32_t index = 0;  // distinguishes flits of a stream with one sequence number

  // A limit before all keys of `time` or later.
  static ArrivalKey at(TimeFs time) { return {time, 0, 0, 0}; }
  // The smallest limit after this key.
  ArrivalKey next() const { return {time, port, sequence, index + 1}; }

  friend bool operator<(const ArrivalKey& a, const ArrivalKey& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.port != b.port) return a.port < b.port;
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return a.index < b.index;
  }
};

// Arrival times of flits that are rolled back: none before `from`, none after `until`.
struct TimeWindow {
  TimeFs from = 0_fs;
  TimeFs until = kNever;

  void include(const TimeWindow& other) { *this = {std::min(from, other.from), std::max(until, other.until)}; }
};

// Flits [first, first + count) of one leg, which arrive at time + i * spacing through one port. One cache line.
struct alignas(64) FlitStream {
  payload::Transaction* transaction = nullptr;
  TimeFs time = 0_fs;
  TimeFs spacing = 0_fs;
  std::uint64_t sequence = 0;
  std::uint64_t sequence_step = payload::kSequenceStep;  // 0: all flits share `sequence` and are ordered by index
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  payload::Leg leg = payload::Leg::request;
  std::uint16_t flit_bytes = 0;  // 0 = full flits; a leg's shorter last flit is sent as a separate stream
  std::uint16_t in_port = 0;
  std::uint16_t out_port = 0;
  std::uint16_t hop = 0;  // index of this node in the route
  // The transaction's: when flits are retired, the transaction may have been reused. It comes last, because padding at
  // the end would make every copy longer.
  account::PlaceId place;

  TimeFs time_of(std::uint32_t i) const { return time + i * spacing; }
  TimeFs last_time() const { return time_of(count - 1); }
  // Number of flits of an endless stream that arrive before `floor`.
  std::int64_t held_until(TimeFs floor) const {
    if (floor <= time) return 0;
    return spacing == 0_fs ? kNever.fs() : periods(floor - time, spacing);
  }
  ArrivalKey key(std::uint32_t i = 0) const {
    return {time_of(i), in_port, sequence + i * sequence_step, sequence_step == 0 ? first + i : 0};
  }
  ArrivalKey last_key() const { return key(count - 1); }
  bool same_leg(const FlitStream& other) const { return transaction == other.transaction && leg == other.leg; }
  bool same_leg(const payload::Transaction& t, payload::Leg l) const { return transaction == &t && leg == l; }
  // Hop of the next node of the leg.
  std::uint16_t next_hop() const {
    return static_cast<std::uint16_t>(leg == payload::Leg::request ? hop + 1 : hop - 1);
  }
  bool has_last_flit() const { return first + count == transaction->leg_flits(leg); }

  // Number of flits with a key below `limit`; these are the first ones.
  std::uint32_t count_before(const ArrivalKey& limit) const {
    if (limit.time > last_time()) return count;
    if (spacing > 0_fs) {
      if (limit.time < time + spacing) return arrives_before(0, limit) ? 1 : 0;
      std::uint32_t n = 0;
      if (limit.time > time) n = static_cast<std::uint32_t>(periods(limit.time - time, spacing));
      if (n < count && arrives_before(n, limit)) ++n;
      return n;
    }
    if (time != limit.time) return time < limit.time ? count : 0;
    if (in_port != limit.port) return in_port < limit.port ? count : 0;
    if (sequence_step == 0) {
      if (sequence != limit.sequence) return sequence < limit.sequence ? count : 0;
      return limit.index <= first ? 0 : std::min(limit.index - first, count);
    }
    const std::uint64_t end = limit.sequence + (limit.index > 0 ? 1 : 0);  // the index of these flits is 0
    if (sequence >= end) return 0;
    const std::uint64_t earlier = (end - sequence + sequence_step - 1) / sequence_step;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(earlier, count));
  }

  // Truncates the stream to its first n flits, n >= 1.
  void keep(std::uint32_t n) { count = n; }
  // Removes the first i flits.
  void drop(std::uint32_t i) {
    time = time_of(i);
    sequence += i * sequence_step;
    first += i;
    count -= i;
  }
  // The flits from index i on, as a separate stream.
  FlitStream tail(std::uint32_t i) const {
    FlitStream rest = *this;
    rest.drop(i);
    return rest;
  }

  // True when `next` continues this stream with the same spacing in time and in sequence.
  bool continued_by(const FlitStream& next) const {
    if (next.transaction != transaction || next.leg != leg || next.first != first + count) return false;
    if (next.flit_bytes != flit_bytes) return false;
    if (sequence_step == 0) {
      if (next.sequence_step != 0 || next.sequence != sequence) return false;
    } else if (next.sequence <= last_sequence()) {
      return false;
    }
    const TimeFs gap = next.time - last_time();
    const std::uint64_t step = next.sequence - last_sequence();
    return (count == 1 || (gap == spacing && step == sequence_step)) &&
           (next.count == 1 || (gap == next.spacing && step == next.sequence_step));
  }
  void absorb(const FlitStream& next) {
    spacing = next.time - last_time();
    sequence_step = next.sequence - last_sequence();
    count += next.count;
  }

 private:
  bool arrives_before(std::uint32_t i, const ArrivalKey& limit) const {
    const TimeFs arrival = time_of(i);
    if (arrival != limit.time) return arrival < limit.time;
    return key(i) < limit;
  }
  std::uint64_t last_sequence() const { return sequence + (count - 1) * sequence_step; }
};

static_assert(sizeof(FlitStream) == 64);

// Properties of a stream's transaction that waveforms and hop traces show.
struct ShownTransaction {
  std::uint64_t id = 0;
  payload::Op op = payload::Op::message;
  bool followed = false;  // a hop trace observes it
  bool ends = false;      // the stream contains the last flit of its leg
};

// A final flit, as waveforms and hop traces get it.
struct ShownFlit {
  const FlitStream& stream;
  ShownTransaction transaction;
  std::uint32_t i = 0;  // in the stream
  TimeFs ready = 0_fs, start = 0_fs, end = 0_fs;

  std::uint32_t index() const { return stream.first + i; }  // in its leg
  bool ends_leg() const { return transaction.ends && i + 1 == stream.count; }
};

// The sort key of streams.
struct StreamKey {
  ArrivalKey operator()(const FlitStream& stream) const { return stream.key(); }
};

// Memory for the streams of a batch; uninitialised, because initialising costs more than its use.
union StreamBuffer {
  StreamBuffer() {}
  FlitStream streams[kMaxStreams];
};

}  // namespace kb::modules
