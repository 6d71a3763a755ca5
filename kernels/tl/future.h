// What a kernel holds of an operation that goes on beside it.
#pragma once

#include <cstdint>

#include "kernels/tl/tensor_handle.h"

namespace kb::tl {

// Names an asynchronous load, store, computation or receive, or a composite. Context::wait gives its result, once;
// copies name the same operation.
class Future {
 public:
  Future() = default;  // names nothing

 private:
  friend class Dispatch;
  TensorHandle value_;  // of operations that have a result
  std::uint64_t context_id_ = 0;
  std::uint64_t number_ = 0;  // of the operation among those that the kernel started
  const char* call_ = "";
  std::uint64_t call_index_ = 0;
};

}  // namespace kb::tl
