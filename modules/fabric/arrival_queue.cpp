#include "modules/fabric/arrival_queue.h"

namespace kb::modules {

namespace {
// Search depth for a stream that can be continued; beyond it, a separate stream is as good.
constexpr std::size_t kSearchDepth = 4;
}  // namespace

void ArrivalQueue::add(const FlitStream& flits) {
  std::size_t looked_at = 0;
  bool absorbed = false;
  streams_.visit_backwards([&](FlitStream& stream) {
    if (!stream.same_leg(flits)) return ++looked_at < kSearchDepth ? Visit::go_on : Visit::stop;
    absorbed = stream.continued_by(flits);
    if (absorbed) {
      stream.absorb(flits);
      note(stream);
    }
    return Visit::stop;
  });
  if (absorbed) return;
  if (streams_.empty()) longest_ = 0_fs;
  note(flits);
  streams_.insert(flits);
}

FlitStream ArrivalQueue::take(std::uint32_t count) {
  FlitStream& stream = streams_.front();
  FlitStream taken = stream;
  if (count == stream.count) {
    streams_.pop_front();
    return taken;
  }
  taken.count = count;
  stream.drop(count);
  if (streams_.near_size() == 1 || !(streams_[1].key() < stream.key())) return taken;
  const FlitStream rest = stream;
  streams_.pop_front();
  streams_.insert_from_front(rest);
  return taken;
}

std::size_t ArrivalQueue::take_batch(const ArrivalKey& limit, StreamBuffer& batch) {
  const std::size_t size = streams_.near_size();
  const FlitStream& first = streams_.front();
  ArrivalKey longest = first.last_key();  // end key of the longest stream and of the second longest
  ArrivalKey end = first.key();
  std::size_t members = 1;
  for (; members < size && members < kMaxStreams; ++members) {
    const ArrivalKey begin = streams_[members].key();
    if (!(begin < longest && begin < limit)) break;
    const ArrivalKey last = streams_[members].last_key();
    if (longest < last) {
      end = longest;
      longest = last;
    } else if (end < last) {
      end = last;
    }
  }
  if (members == 1) {
    const bool crowded = size > 1 && streams_[1].key() < limit;
    batch.streams[0] = take(first.count_before(crowded ? streams_[1].key() : limit));
    return 1;
  }
  // A batch ends where only one of its streams remains, because a single stream is simpler to handle.
  ArrivalKey below = end.next();
  if (limit < below) below = limit;
  if (members < size && streams_[members].key() < below) below = streams_[members].key();
  StreamBuffer rests;
  std::size_t taken = 0, left = 0;
  for (std::size_t i = 0; i < members; ++i) {
    FlitStream& stream = streams_[i];
    const std::uint32_t count = stream.count_before(below);
    if (count > 0) {
      batch.streams[taken] = stream;
      batch.streams[taken++].count = count;
    }
    if (count < stream.count) rests.streams[left++] = stream.tail(count);
  }
  for (std::size_t i = 0; i < members; ++i) streams_.pop_front();
  for (std::size_t i = left; i-- > 0;) streams_.insert_from_front(rests.streams[i]);
  return taken;
}

void ArrivalQueue::put_back(const FlitStream& flits) {
  for (std::size_t i = 0; i < streams_.near_size() && i < kSearchDepth; ++i) {
    if (!streams_[i].same_leg(flits)) continue;
    if (!flits.continued_by(streams_[i])) break;
    FlitStream joined = flits;
    joined.absorb(streams_[i]);
    note(joined);
    for (; i > 0 && joined.key() < streams_[i - 1].key(); --i) streams_[i] = streams_[i - 1];
    streams_[i] = joined;
    return;
  }
  note(flits);
  streams_.insert_from_front(flits);
}

void ArrivalQueue::roll_back(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first,
                             TimeFs now) {
  streams_.visit_backwards([&](FlitStream& stream) {
    if (stream.time + longest_ < now) return Visit::stop;
    if (!stream.same_leg(transaction, leg)) return Visit::go_on;
    if (stream.first + stream.count <= first) return Visit::stop;
    if (stream.first < first) {
      stream.count = first - stream.first;
      return Visit::stop;
    }
    return stream.first > first ? Visit::erase : Visit::erase_and_stop;
  });
}

void ArrivalQueue::roll_back(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first,
                             std::uint32_t count, TimeFs until) {
  if (count == 0) return;
  streams_.visit_backwards_below(ArrivalKey::at(until + 1_fs), [&](FlitStream& stream) {
    if (!stream.same_leg(transaction, leg)) return Visit::go_on;
    if (stream.first + stream.count <= first) return Visit::stop;
    const std::uint32_t kept = stream.first < first ? first - stream.first : 0;
    count -= stream.count - kept;
    if (kept == 0) return count == 0 ? Visit::erase_and_stop : Visit::erase;
    stream.count = kept;
    return Visit::stop;
  });
}

}  // namespace kb::modules
