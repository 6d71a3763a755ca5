// Results of calls with several values.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/tl/tensor_handle.h"

namespace kb::tl {

// The part of a tensor that this PE owns: elements [first, first + elements) in shard order.
struct LocalShard {
  Ptr ptr;
  std::int64_t first = 0;
  std::int64_t elements = 0;  // 0: this PE owns no element
  Shape shape;
};

// Result of topk: (..., k) each, largest first.
struct TopK {
  TensorHandle values;
  TensorHandle indices;  // i32
};

// Result of recv_any: contents and direction.
struct Message {
  TensorHandle value;
  std::string direction;
};

}  // namespace kb::tl
