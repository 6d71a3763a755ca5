// Loads that a kernel started before it asked for the data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/tl/future.h"
#include "kernels/tl/in_flight.h"
#include "kernels/tl/ptr.h"
#include "kernels/tl/tensor_handle.h"
#include "kernels/tl/tensors.h"

namespace kb::tl {

// The prefetches that no load has taken yet, oldest first. One is forgotten when the scope of its result ends, and
// dropped when the bytes may have been written since it read them: by a write of this PE, found by physical addresses,
// or, at a barrier, a receive and a wait for all, by any PE. What was dropped goes on, and nobody gets its result.
class Prefetches {
 public:
  struct Prefetch {
    Ptr ptr;
    std::int64_t row_stride = 0;
    std::vector<Extent> bytes;  // physical, by address, apart from each other
    Future future;              // without a result: nobody has to wait for a prefetch
    contract::IPe::Ticket ticket = 0;
    TensorHandle result;
  };

  explicit Prefetches(contract::IPe& pe) : pe_(pe) {}

  bool empty() const { return open_.empty(); }
  // One that reads `memory`, for add() when it has begun.
  Prefetch of(Ptr ptr, std::int64_t row_stride, const std::vector<Extent>& memory) const;
  // Not kept when an operation under way writes these bytes: the prefetch may read what was there before.
  void add(Prefetch&& prefetch, const InFlight& in_flight);
  // The oldest prefetch of this data, which is no longer one, and still to be waited for.
  std::optional<Prefetch> take(Ptr ptr, const Shape& shape, std::int64_t row_stride, const Tensors& tensors);

  // Before the PE gets the command.
  void drop_for(const contract::Command& command);
  void drop_all();

 private:
  template <typename Condition>
  void drop_if(const Condition& condition);

  contract::IPe& pe_;
  std::vector<Prefetch> open_;
};

}  // namespace kb::tl
