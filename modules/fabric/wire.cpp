#include "modules/fabric/wire.h"

#include "modules/fabric/wire_merge.h"

namespace kb::modules {

using payload::kSequenceStep;
using payload::Segment;

namespace {
// Open segments of a batch's streams; each is initialised at the stream's first flit.
union OpenSegments {
  OpenSegments() {}
  struct {
    Segment segment;
    TimeFs last_time;
    std::uint64_t last_sequence;
  } last[kMaxStreams];
};
}  // namespace

void Wire::commit(const FlitStream* streams, std::size_t count, TimeFs floor, IWireUser& user) {
  const std::uint32_t begin = batches_.empty() ? 0 : batches_.back().begin + batches_.back().streams;
  Batch& batch = batches_.push_back();
  batch.begin = begin;
  batch.floor = floor;
  batch.available_before = available_;
  batch.longest_wait = 0_fs;
  batch.last_time = -1_fs;
  batch.out_sequence = next_sequence_;
  batch.flits = 0;
  batch.streams = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    batch.flits += streams[i].count;
    batch.last_time = std::max(batch.last_time, streams[i].last_time());
    streams_.push_back() = streams[i];
    this->count(streams[i]);
  }
  if (viewers_ != nullptr && viewers_->want_transactions()) note_transactions(streams_.size() - count);
  latest_time_ = batch.last_time;
  next_sequence_ += std::uint64_t{batch.flits} * kSequenceStep;
  if (count == 1) {
    measure_single(batch, streams[0]);
    announce_single(batch, streams[0], user);
  } else {
    announce_streams(batch, streams_.size() - count, user);
  }
  available_ = batch.available_after;
}

// At most two segments: the backlog (start - a0) drains by (spacing - occupancy) per flit; until then flits leave back
// to back, then as they arrive.
void Wire::announce_single(const Batch& batch, const FlitStream& flits, IWireUser& user) {
  const SingleStream stream = single(batch, flits);
  const std::uint32_t packed = stream.packed();
  const auto announce = [&](std::uint32_t i, std::uint32_t count, TimeFs spacing) {
    Segment s;
    s.time = stream.available_after(i) + params_.propagation;
    s.spacing = spacing;
    s.first = flits.first + i;
    s.count = count;
    s.sequence = batch.out_sequence + i * kSequenceStep;
    s.sequence_step = kSequenceStep;
    s.leg = flits.leg;
    s.hop = flits.next_hop();
    user.on_committed(flits, s);
  };
  if (packed > 0) announce(0, packed, stream.occupancy);
  if (packed < flits.count) announce(packed, flits.count - packed, flits.spacing);
}

void Wire::announce_streams(Batch& batch, std::size_t base, IWireUser& user) {
  OpenSegments open;
  StreamWaits waits;
  std::uint32_t whole = 0;  // streams whose last segment is complete but not reported yet; an immediate report would be
                            // read while it is written
  const auto tell_whole = [&] {
    for (; whole != 0; whole &= whole - 1) {
      const int j = __builtin_ctz(whole);
      user.on_committed(streams_[base + static_cast<std::size_t>(j)], open.last[j].segment);
    }
  };
  std::uint64_t sequence = batch.out_sequence;
  merge(batch, base, batch.flits, [&](std::uint32_t j, std::uint32_t i, const Passage& flit) {
    const FlitStream& stream = streams_[base + j];
    const TimeFs delivered = flit.end + params_.propagation;
    Segment& s = open.last[j].segment;
    const TimeFs gap = i == 0 ? 0_fs : delivered - open.last[j].last_time;
    const std::uint64_t step = i == 0 ? 0 : sequence - open.last[j].last_sequence;
    if (i > 0 && (s.count == 1 || (gap == s.spacing && step == s.sequence_step))) {
      s.spacing = gap;
      s.sequence_step = step;
      ++s.count;
    } else {
      if (i > 0) {
        tell_whole();  // before a later stream of the same leg goes on
        user.on_committed(stream, s);
      }
      s.time = delivered;
      s.spacing = 0_fs;
      s.first = stream.first + i;
      s.count = 1;
      s.sequence = sequence;
      s.sequence_step = kSequenceStep;
      s.leg = stream.leg;
      s.hop = stream.next_hop();
    }
    if (i + 1 == stream.count) whole |= 1u << j;
    open.last[j].last_time = delivered;
    open.last[j].last_sequence = sequence;
    sequence += kSequenceStep;
    waits.add(j, flit.start - flit.ready, batch);
    batch.available_after = flit.end;
  });
  keep_waits(waits, batch.streams);
  tell_whole();
}

void Wire::measure_single(Batch& batch, const FlitStream& flits) const {
  const SingleStream stream = single(batch, flits);
  batch.available_after = stream.available_after(flits.count - 1);
  batch.longest_wait = stream.longest_wait();
}

// Recomputes a batch's end and waits after some of its flits were rolled back.
void Wire::measure(Batch& batch, std::size_t base) {
  batch.last_time = -1_fs;
  for (std::size_t i = base; i < streams_.size(); ++i)
    batch.last_time = std::max(batch.last_time, streams_[i].last_time());
  if (batch.streams == 1) {
    measure_single(batch, streams_[base]);
    return;
  }
  batch.longest_wait = 0_fs;
  StreamWaits waits;
  merge(batch, base, batch.flits, [&](std::uint32_t j, std::uint32_t, const Passage& flit) {
    waits.add(j, flit.start - flit.ready, batch);
    batch.available_after = flit.end;
  });
  keep_waits(waits, batch.streams);
}

void Wire::cut(const ArrivalKey& limit, IWireUser& user) {
  bool more = true;
  while (more && !batches_.empty()) {
    Batch& batch = batches_.back();
    const TimeFs floor = batch.floor, through = batch.available_after;
    const std::size_t base = streams_.size() - batch.streams;
    StreamBuffer rolled_back;
    std::size_t streams = 0;
    std::uint32_t kept_streams = 0, kept_flits = 0;
    for (std::uint32_t j = 0; j < batch.streams; ++j) {
      const FlitStream& stream = streams_[base + j];
      const std::uint32_t kept = stream.count_before(limit);
      if (kept < stream.count) rolled_back.streams[streams++] = stream.tail(kept);
      if (kept == 0) continue;
      if (viewers_ != nullptr) viewers_->keep(base + j, base + kept_streams, kept == stream.count);
      FlitStream& remaining = streams_[base + kept_streams++];
      if (&remaining != &stream) remaining = stream;
      remaining.keep(kept);
      kept_flits += kept;
    }
    if (streams == 0) break;
    while (streams_.size() > base + kept_streams) streams_.pop_back();
    if (viewers_ != nullptr) viewers_->resize(streams_.size());
    drop_waits(batch.streams);
    next_sequence_ = batch.out_sequence + std::uint64_t{kept_flits} * kSequenceStep;
    more = kept_flits == 0;
    if (more) {
      available_ = batch.available_before;
      batches_.pop_back();
    } else {
      batch.flits = kept_flits;
      batch.streams = kept_streams;
      measure(batch, base);
      available_ = batch.available_after;
    }
    for (std::size_t i = 0; i < streams; ++i) {
      const FlitStream& stream = rolled_back.streams[i];
      discount(stream);
      const TimeFs start = std::max({available_, floor, stream.time_of(0)});
      user.on_cut(stream, {start + occupancy_of(stream) + params_.propagation, through + params_.propagation});
    }
  }
  latest_time_ = batches_.empty() ? -1_fs : batches_.back().last_time;
}

// True when the newest batch has a flit whose key is not below `limit`.
bool Wire::reaches(const ArrivalKey& limit) const {
  if (batches_.empty()) return false;
  for (std::size_t i = streams_.size() - batches_.back().streams; i < streams_.size(); ++i) {
    if (!(streams_[i].last_key() < limit)) return true;
  }
  return false;
}

bool Wire::find(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, ArrivalKey& key,
                const TimeWindow& window) const {
  const std::size_t begin = count_leading([&](std::size_t b) { return batches_[b].last_time < window.from; });
  if (begin == batches_.size()) return false;
  // in key order, and therefore in flit order for each leg
  for (std::size_t i = base_of(begin); i < streams_.size(); ++i) {
    const FlitStream& flits = streams_[i];
    if (flits.time_of(0) > window.until) return false;
    if (!flits.same_leg(transaction, leg) || flits.first + flits.count <= first) continue;
    // These belong to an earlier use of the transaction; other flits of the batch are still in the future.
    if (flits.last_time() < retired_) continue;
    key = flits.key(std::max(first, flits.first) - flits.first);
    return true;
  }
  return false;
}

// When the wire is free after the first `flits` (at least 1) of a batch.
TimeFs Wire::available_after(const Batch& batch, std::size_t base, std::uint32_t flits) const {
  if (flits == batch.flits) return batch.available_after;
  if (batch.streams == 1) return single(batch, streams_[base]).available_after(flits - 1);
  TimeFs available = 0_fs;
  merge(batch, base, flits, [&](std::uint32_t, std::uint32_t, const Passage& flit) { available = flit.end; });
  return available;
}

// The message leaves after the flit with sequence number `behind`, or after all flits when `last`.
void Wire::depart_message(TimeFs at, std::uint64_t behind, bool last, Segment& out) {
  if (last) {  // no committed flit can be cut any more, so that the message may take its own number
    message_sequence_ = next_sequence_;
    next_sequence_ += kSequenceStep;
  } else {
    message_sequence_ = std::max(message_sequence_, behind) + 1;
  }
  out.time = at + params_.propagation;
  out.spacing = 0_fs;
  out.first = 0;
  out.count = 1;
  out.sequence = message_sequence_;
  out.sequence_step = kSequenceStep;
  ++statistics_.messages;
}

void Wire::send_message(TimeFs ready, const ArrivalKey& key, Segment& out) {
  // Flits precede the message when (ready time, arrival key) is lower. Floors and keys never decrease from batch to
  // batch. A key beyond `ready` only means that the message follows flits that a floor delays until then.
  const auto limit_of = [&](const Batch& batch) {
    return batch.floor == ready || key.time == ready ? key : ArrivalKey::at(ready);
  };
  const std::size_t earlier = count_leading([&](std::size_t b) {
    const Batch& batch = batches_[b];
    if (batch.floor > ready) return false;
    const std::size_t base = base_of(b);
    const ArrivalKey limit = limit_of(batch);
    for (std::uint32_t j = 0; j < batch.streams; ++j) {
      if (streams_[base + j].key() < limit) return true;
    }
    return false;
  });
  if (earlier > 0) {
    const Batch& batch = batches_[earlier - 1];
    const std::size_t base = base_of(earlier - 1);
    const ArrivalKey limit = limit_of(batch);
    std::uint32_t preceding = 0;
    for (std::uint32_t j = 0; j < batch.streams; ++j) preceding += streams_[base + j].count_before(limit);
    depart_message(std::max(ready, available_after(batch, base, preceding)),
                   batch.out_sequence + (preceding - 1) * kSequenceStep,
                   earlier == batches_.size() && preceding == batch.flits, out);
    return;
  }
  if (batches_.empty()) {
    depart_message(std::max(ready, available_), 0, true, out);
  } else {
    const Batch& next = batches_.front();
    depart_message(std::max(ready, next.available_before), next.out_sequence - kSequenceStep, false, out);
  }
}

void Wire::slip_message(TimeFs ready, Segment& out) {
  const std::size_t b = count_leading([&](std::size_t i) { return batches_[i].available_after <= ready; });
  if (b < batches_.size()) {
    const Batch& batch = batches_[b];
    const SingleStream stream = single(batch, streams_[b]);
    std::uint32_t low = 0;  // first flit that has not left the wire at `ready`
    for (std::uint32_t high = batch.flits - 1; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (stream.available_after(middle) > ready) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const TimeFs end = stream.available_after(low);
    const bool in_transfer = end - stream.occupancy < ready;
    const std::uint64_t behind = batch.out_sequence + low * kSequenceStep - (in_transfer ? 0 : kSequenceStep);
    const bool last = in_transfer && b + 1 == batches_.size() && low + 1 == batch.flits;
    depart_message(in_transfer ? end : ready, behind, last, out);
    return;
  }
  depart_message(ready, 0, true, out);
}

void Wire::retire(TimeFs now) {
  retired_ = now;
  while (!batches_.empty()) {
    const Batch& batch = batches_.front();
    const TimeFs until = params_.keep_until_sent ? batch.available_after : std::max(batch.floor, batch.last_time);
    if (until >= now) return;
    statistics_.longest_wait = std::max(statistics_.longest_wait, batch.longest_wait);
    if (use_) record(batch);
    if (viewers_ != nullptr) show(batch);
    for (std::uint32_t j = batch.streams; j > 0; --j) streams_.pop_front();
    batches_.pop_front();
  }
  // A flit that is not committed yet may have been waiting for long, so that the last starts are reported only at the
  // end.
  if (viewers_ != nullptr && now == kNever) viewers_->finish();
}

// The wait available - occupancy - ready grows while flits are held back by the floor or arrive faster than they leave.
TimeFs Wire::SingleStream::longest_wait() const {
  std::uint32_t worst = 0;
  if (flits.spacing <= occupancy) {
    worst = flits.count - 1;
  } else if (floor > flits.time) {
    worst = static_cast<std::uint32_t>(std::min<std::int64_t>((floor - flits.time) / flits.spacing, flits.count - 1));
  }
  const TimeFs wait = available_after(worst) - occupancy - ready(worst);
  if (worst + 1 == flits.count) return wait;
  // The first flit that the floor does not delay may still find a longer queue.
  return std::max(wait, available_after(worst + 1) - occupancy - ready(worst + 1));
}

std::uint64_t Wire::bytes_of(const FlitStream& flits) const {
  return std::uint64_t{flits.count} * (flits.flit_bytes == 0 ? params_.flit_bytes : flits.flit_bytes);
}

void Wire::count(const FlitStream& flits) {
  statistics_.flits += flits.count;
  statistics_.bytes += bytes_of(flits);
  statistics_.busy += flits.count * occupancy_of(flits);
}

void Wire::discount(const FlitStream& flits) {
  statistics_.flits -= flits.count;
  statistics_.bytes -= bytes_of(flits);
  statistics_.busy -= flits.count * occupancy_of(flits);
}

void Wire::note_transactions(std::size_t base) {
  for (std::size_t i = base; i < streams_.size(); ++i) {
    const FlitStream& stream = streams_[i];
    const payload::Transaction& transaction = *stream.transaction;
    const bool followed = viewers_->hops != nullptr && viewers_->hops->follows(transaction);
    viewers_->transactions.push_back({transaction.id, transaction.op, followed, stream.has_last_flit()});
  }
}

}  // namespace kb::modules
