// What calls give that have more than one result.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/tl/tensor_handle.h"

namespace kb::tl {

// The part of a tensor that lies at this PE. Elements [first, first + elements) of the tensor in shard order.
struct LocalShard {
  Ptr ptr;
  std::int64_t first = 0;
  std::int64_t elements = 0;  // 0: this PE owns nothing of the tensor
  Shape shape;
};

// What topk gives: (..., k) each, largest first.
struct TopK {
  TensorHandle values;
  TensorHandle indices;  // i32
};

// What recv_any gives: the contents and where they came from.
struct Message {
  TensorHandle value;
  std::string direction;
};

}  // namespace kb::tl
