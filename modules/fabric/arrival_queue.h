// Announced flits that their node has not handled yet.
#pragma once

#include <cstdint>

#include "modules/fabric/flit_stream.h"
#include "modules/fabric/sorted_queue.h"

namespace kb::modules {

// Streams in order of the arrival key of their first flit. Streams of several legs may be interleaved like the streams
// of a batch (A0 B0 A1 B1 ...).
class ArrivalQueue {
 public:
  bool empty() const { return streams_.empty(); }
  std::size_t size() const { return streams_.size(); }
  void prefetch_front() const { streams_.prefetch_front(); }
  void prefetch_back() const { streams_.prefetch_back(); }
  const FlitStream& front() const { return streams_.front(); }
  // i < SortedQueue::kLeastNear.
  const FlitStream& operator[](std::size_t i) const { return streams_[i]; }
  template <typename F>
  void for_each(F&& f) const {
    streams_.for_each(f);
  }

  void add(const FlitStream& flits);
  // Removes the first `count` flits of the front stream; they must precede all other flits.
  FlitStream take(std::uint32_t count);
  // Removes flits that precede all others and have keys below `limit`, at least the front flit: of one stream, or of up
  // to kMaxStreams interleaved streams. Returns the number of streams in `batch`.
  std::size_t take_batch(const ArrivalKey& limit, StreamBuffer& batch);
  // Reinserts flits that were taken and then rolled back.
  void put_back(const FlitStream& flits);
  // Removes the flits of a leg with index >= `first`, none of which precedes `now`.
  void roll_back(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, TimeFs now);
  // Removes `count` flits from `first` on, which are all in this queue and ready at `until` or before; does not search
  // flits that are ready later.
  void roll_back(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, std::uint32_t count,
                 TimeFs until);

 private:
  using Runs = SortedQueue<FlitStream, StreamKey>;
  void note(const FlitStream& stream) { longest_ = std::max(longest_, stream.last_time() - stream.time); }

  Runs streams_;
  TimeFs longest_ = 0_fs;  // upper bound of the duration of any stream in the queue
};

}  // namespace kb::modules
