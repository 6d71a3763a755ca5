// Promised flits of one incoming edge that their node has not taken yet.
#pragma once

#include <cstdint>

#include "modules/fabric/flit_run.h"
#include "modules/fabric/ring_deque.h"

namespace kb::modules {

// Runs in order of the arrival key of their first flit. Runs of several legs may be interleaved like the strands of a
// braid (A0 B0 A1 B1 ...): whoever takes flits of the front run has to stop before the first flit of the next one when
// the two compete.
class ArrivalQueue {
 public:
  bool empty() const { return runs_.empty(); }
  std::size_t size() const { return runs_.size(); }
  const FlitRun& front() const { return runs_.front(); }
  const FlitRun& operator[](std::size_t i) const { return runs_[i]; }

  void add(const FlitRun& flits);
  // Removes the first `count` flits of the front run.
  FlitRun take(std::uint32_t count);
  // Flits that were taken and come back.
  void put_back(const FlitRun& flits);
  // Forgets the flits of a leg with index >= `first`.
  void withdraw(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first);

 private:
  void insert(const FlitRun& flits, std::size_t below);

  RingDeque<FlitRun> runs_;
};

}  // namespace kb::modules
