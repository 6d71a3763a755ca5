#include "kernels/tl/prefetches.h"

#include <algorithm>
#include <utility>

namespace kb::tl {

void Prefetches::start(Ptr ptr, std::int64_t row_stride, Dispatch::Work&& load) {
  open_.push_back({ptr, row_stride, dispatch_.submit(load.command), std::move(load.result)});
}

TensorHandle Prefetches::take(Ptr ptr, const Shape& shape, std::int64_t row_stride) {
  const auto gone = [&](const Prefetch& one) { return !tensors_.alive(one.result); };
  open_.erase(std::remove_if(open_.begin(), open_.end(), gone), open_.end());
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    if (!(it->ptr == ptr) || it->row_stride != row_stride || it->result.shape() != shape) continue;
    Prefetch found = std::move(*it);
    open_.erase(it);
    dispatch_.wait(found.future);
    return std::move(found.result);
  }
  return {};
}

}  // namespace kb::tl
