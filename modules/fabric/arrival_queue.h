// Promised flits that their node has not taken yet.
#pragma once

#include <cstdint>

#include "modules/fabric/flit_run.h"
#include "modules/fabric/sorted_queue.h"

namespace kb::modules {

// Runs in order of the arrival key of their first flit. Runs of several legs may alternate like the strands of a braid
// (A0 B0 A1 B1 ...).
class ArrivalQueue {
 public:
  bool empty() const { return runs_.empty(); }
  std::size_t size() const { return runs_.size(); }
  void prefetch_front() const { runs_.prefetch_front(); }
  void prefetch_back() const { runs_.prefetch_back(); }
  const FlitRun& front() const { return runs_.front(); }
  // One of the first SortedQueue::kLeastNear.
  const FlitRun& operator[](std::size_t i) const { return runs_[i]; }
  template <typename F>
  void for_each(F&& f) const {
    runs_.for_each(f);
  }

  void add(const FlitRun& flits);
  // Removes the first `count` flits of the front run, which must come before all others.
  FlitRun take(std::uint32_t count);
  // Removes flits that come before all others and whose keys are below `limit`, the front one at least: of one run, or
  // of up to kMostStrands runs that alternate. Returns the number of runs in `strands`.
  std::size_t take_braid(const ArrivalKey& limit, StrandBuffer& strands);
  // Flits that were taken and come back.
  void put_back(const FlitRun& flits);
  // Forgets the flits of a leg with index >= `first`, none of which comes before `now`.
  void withdraw(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, TimeFs now);
  // The same for `count` flits, all of them here and ready at `until` or before; at no cost for what is ready later.
  void withdraw(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, std::uint32_t count,
                TimeFs until);

 private:
  using Runs = SortedQueue<FlitRun, RunKey>;
  void note(const FlitRun& run) { longest_ = std::max(longest_, run.last_time() - run.time); }

  Runs runs_;
  TimeFs longest_ = 0;  // no run of the queue lasts longer
};

}  // namespace kb::modules
