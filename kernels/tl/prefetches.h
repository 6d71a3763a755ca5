// Loads that a kernel started before it asked for the data.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tl/dispatch.h"
#include "kernels/tl/ptr.h"
#include "kernels/tl/tensor_handle.h"
#include "kernels/tl/tensors.h"

namespace kb::tl {

// The prefetches that no load has taken yet, oldest first. One is forgotten when the scope of its result ends.
class Prefetches {
 public:
  Prefetches(Dispatch& dispatch, const Tensors& tensors) : dispatch_(dispatch), tensors_(tensors) {}

  bool empty() const { return open_.empty(); }
  void start(Ptr ptr, std::int64_t row_stride, Dispatch::Work&& load);
  // Waits for the oldest prefetch of this data and gives its result; an empty handle when there is none.
  TensorHandle take(Ptr ptr, const Shape& shape, std::int64_t row_stride);

 private:
  struct Prefetch {
    Ptr ptr;
    std::int64_t row_stride = 0;
    Future future;  // without a result: nobody has to wait for a prefetch
    TensorHandle result;
  };

  Dispatch& dispatch_;
  const Tensors& tensors_;
  std::vector<Prefetch> open_;
};

}  // namespace kb::tl
