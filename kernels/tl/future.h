// Handle of an asynchronous operation of a kernel.
#pragma once

#include <cstdint>

#include "kernels/tl/tensor_handle.h"

namespace kb::tl {

// Refers to an asynchronous load, store, computation or receive, or a composite. Context::wait returns its result,
// once; copies refer to the same operation.
class Future {
 public:
  Future() = default;  // refers to no operation

 private:
  friend class Dispatch;
  TensorHandle value_;  // for operations with a result
  std::uint64_t context_id_ = 0;
  std::uint64_t number_ = 0;  // number of the operation in the kernel
  const char* call_ = "";
  std::uint64_t call_index_ = 0;
};

}  // namespace kb::tl
