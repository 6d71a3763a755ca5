#include "modules/fabric/arrival_queue.h"

namespace kb::modules {

namespace {
// How far back a run that could be continued is looked for; beyond, a run of its own is as good.
constexpr std::size_t kSearchDepth = 16;
}  // namespace

void ArrivalQueue::add(const FlitRun& flits) {
  using Visit = Runs::Visit;
  std::size_t looked_at = 0;
  bool absorbed = false;
  runs_.visit_backwards([&](FlitRun& run) {
    if (!run.same_leg(flits)) return ++looked_at < kSearchDepth ? Visit::go_on : Visit::stop;
    absorbed = run.continued_by(flits);
    if (absorbed) {
      run.absorb(flits);
      note(run);
    }
    return Visit::stop;
  });
  if (absorbed) return;
  if (runs_.empty()) longest_ = 0;
  note(flits);
  runs_.insert(flits);
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
  if (runs_.near_size() == 1 || !(runs_[1].key() < run.key())) return taken;
  const FlitRun rest = run;
  runs_.pop_front();
  runs_.insert_from_front(rest);
  return taken;
}

std::size_t ArrivalQueue::take_braid(const ArrivalKey& limit, StrandBuffer& strands) {
  const std::size_t size = runs_.near_size();
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
  for (std::size_t i = left; i-- > 0;) runs_.insert_from_front(rests.runs[i]);
  return taken;
}

void ArrivalQueue::put_back(const FlitRun& flits) {
  for (std::size_t i = 0; i < runs_.near_size() && i < kSearchDepth; ++i) {
    if (!runs_[i].same_leg(flits)) continue;
    if (!flits.continued_by(runs_[i])) break;
    FlitRun joined = flits;
    joined.absorb(runs_[i]);
    note(joined);
    for (; i > 0 && joined.key() < runs_[i - 1].key(); --i) runs_[i] = runs_[i - 1];
    runs_[i] = joined;
    return;
  }
  note(flits);
  runs_.insert_from_front(flits);
}

void ArrivalQueue::withdraw(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first,
                            TimeFs now) {
  using Visit = Runs::Visit;
  runs_.visit_backwards([&](FlitRun& run) {
    if (run.time + longest_ < now) return Visit::stop;
    if (!run.same_leg(transaction, leg)) return Visit::go_on;
    if (run.first + run.count <= first) return Visit::stop;
    if (run.first < first) {
      run.count = first - run.first;
      return Visit::stop;
    }
    return run.first > first ? Visit::erase : Visit::erase_and_stop;
  });
}

void ArrivalQueue::withdraw(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first,
                            std::uint32_t count, TimeFs until) {
  if (count == 0) return;
  using Visit = Runs::Visit;
  runs_.visit_backwards_below(ArrivalKey::at(until + 1), [&](FlitRun& run) {
    if (!run.same_leg(transaction, leg)) return Visit::go_on;
    if (run.first + run.count <= first) return Visit::stop;
    const std::uint32_t kept = run.first < first ? first - run.first : 0;
    count -= run.count - kept;
    if (kept == 0) return count == 0 ? Visit::erase_and_stop : Visit::erase;
    run.count = kept;
    return Visit::stop;
  });
}

}  // namespace kb::modules
