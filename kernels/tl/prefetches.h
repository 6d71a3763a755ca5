// The prefetches of a kernel.
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

// The prefetches that no load has taken yet, oldest first. A prefetch is forgotten when the scope of its result ends.
// It is dropped when its bytes may have been written since: by a write of this PE (by physical address), or, at a
// barrier, a receive and a wait for all, by any PE. The transfer of a dropped prefetch continues, and its result is not
// used.
class Prefetches {
 public:
  struct Prefetch {
    Ptr ptr;
    std::int64_t row_stride = 0;
    std::vector<Extent> bytes;  // physical, sorted by address, disjoint
    Future future;              // without a result: nobody has to wait for a prefetch
    contract::IPe::Ticket ticket = 0;
    TensorHandle result;
  };

  explicit Prefetches(contract::IPe& pe) : pe_(pe) {}

  bool empty() const { return open_.empty(); }
  // Returns the record of a prefetch that reads `memory`; pass it to add() when the prefetch has begun.
  Prefetch of(Ptr ptr, std::int64_t row_stride, const std::vector<Extent>& memory) const;
  // Does not keep it when an operation in flight writes these bytes, because the prefetch may read the old contents.
  void add(Prefetch&& prefetch, const InFlight& in_flight);
  // Removes and returns the oldest prefetch of this data; it still has to be waited for.
  std::optional<Prefetch> take(Ptr ptr, const Shape& shape, std::int64_t row_stride, const Tensors& tensors);

  // Must be called before the command is issued to the PE.
  void drop_for(const contract::Command& command);
  void drop_all();

 private:
  template <typename Condition>
  void drop_if(const Condition& condition);

  contract::IPe& pe_;
  std::vector<Prefetch> open_;
};

}  // namespace kb::tl
