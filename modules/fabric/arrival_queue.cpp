#include "modules/fabric/arrival_queue.h"

namespace kb::modules {

namespace {
// How far back a run that could be continued is looked for; beyond, a run of its own is as good.
constexpr std::size_t kSearchDepth = 16;
}  // namespace

void ArrivalQueue::add(const FlitRun& flits) {
  const std::size_t size = runs_.size();
  for (std::size_t i = size; i-- > 0 && size - i <= kSearchDepth;) {
    if (!runs_[i].same_leg(flits)) continue;
    if (!runs_[i].continued_by(flits)) break;
    runs_[i].absorb(flits);
    return;
  }
  insert(flits, size);
}

// Finds the place among the first `below` runs, from the back.
void ArrivalQueue::insert(const FlitRun& flits, std::size_t below) {
  while (below > 0 && flits.key() < runs_[below - 1].key()) --below;
  runs_.insert(below, flits);
}

FlitRun ArrivalQueue::take(std::uint32_t count) {
  FlitRun& run = runs_.front();
  FlitRun taken = run;
  if (count == run.count) {
    runs_.pop_front();
    return taken;
  }
  taken.count = count;
  run.drop(count);
  if (runs_.size() == 1 || !(runs_[1].key() < run.key())) return taken;
  const FlitRun rest = run;
  std::size_t i = 0;
  for (; i + 1 < runs_.size() && runs_[i + 1].key() < rest.key(); ++i) runs_[i] = runs_[i + 1];
  runs_[i] = rest;
  return taken;
}

std::size_t ArrivalQueue::take_braid(const ArrivalKey& limit, StrandBuffer& strands) {
  const std::size_t size = runs_.size();
  const FlitRun& first = runs_.front();
  ArrivalKey longest = first.last_key();  // the key at which the longest run ends, and the next longest
  ArrivalKey end = first.key();
  std::size_t members = 1;
  for (; members < size && members < kMostStrands; ++members) {
    const ArrivalKey begin = runs_[members].key();
    if (!(begin < longest && begin < limit)) break;
    const ArrivalKey last = runs_[members].last_key();
    if (longest < last) {
      end = longest;
      longest = last;
    } else if (end < last) {
      end = last;
    }
  }
  if (members == 1) {
    const bool crowded = size > 1 && runs_[1].key() < limit;
    strands.runs[0] = take(first.count_before(crowded ? runs_[1].key() : limit));
    return 1;
  }
  // A braid ends where only one of its runs goes on, which is then simpler to handle.
  ArrivalKey below = end.next();
  if (limit < below) below = limit;
  if (members < size && runs_[members].key() < below) below = runs_[members].key();
  StrandBuffer rests;
  std::size_t taken = 0, left = 0;
  for (std::size_t i = 0; i < members; ++i) {
    FlitRun& run = runs_[i];
    const std::uint32_t count = run.count_before(below);
    if (count > 0) {
      strands.runs[taken] = run;
      strands.runs[taken++].count = count;
    }
    if (count < run.count) rests.runs[left++] = run.tail(count);
  }
  for (std::size_t i = 0; i < members; ++i) runs_.pop_front();
  for (std::size_t i = left; i-- > 0;) insert_from_front(rests.runs[i]);
  return taken;
}

void ArrivalQueue::put_back(const FlitRun& flits) {
  for (std::size_t i = 0; i < runs_.size() && i < kSearchDepth; ++i) {
    if (!runs_[i].same_leg(flits)) continue;
    if (!flits.continued_by(runs_[i])) break;
    FlitRun joined = flits;
    joined.absorb(runs_[i]);
    for (; i > 0 && joined.key() < runs_[i - 1].key(); --i) runs_[i] = runs_[i - 1];
    runs_[i] = joined;
    return;
  }
  insert_from_front(flits);
}

void ArrivalQueue::insert_from_front(const FlitRun& flits) {
  std::size_t position = 0;
  while (position < runs_.size() && runs_[position].key() < flits.key()) ++position;
  if (position <= kSearchDepth) {
    runs_.push_front(flits);
    for (std::size_t i = 0; i < position; ++i) runs_[i] = runs_[i + 1];
    runs_[position] = flits;
  } else {
    runs_.insert(position, flits);
  }
}

void ArrivalQueue::withdraw(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first) {
  for (std::size_t i = runs_.size(); i-- > 0;) {
    FlitRun& run = runs_[i];
    if (!run.same_leg(transaction, leg)) continue;
    if (run.first + run.count <= first) return;
    if (run.first < first) {
      run.count = first - run.first;
      return;
    }
    const bool more = run.first > first;
    runs_.erase(i);
    if (!more) return;
  }
}

}  // namespace kb::modules
