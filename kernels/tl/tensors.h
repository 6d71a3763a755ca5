// The tensors of a running kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tl/call.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/scratch_allocator.h"
#include "kernels/tl/tensor_handle.h"

namespace kb::contract {
class IPe;
}

namespace kb::tl {

// Creates the handles of a kernel, checks the handles in its calls, and reads their contents. In errors a handle is
// "operand `position`"; 0 is the result.
class Tensors {
 public:
  Tensors(Context& context, contract::IPe& pe, const Call& call, Dispatch& dispatch);

  // These create tensors of the current call and scope. `allocate` and `receive` fail with OUT_OF_SCRATCH.
  TensorHandle allocate(Shape&& shape, Dtype dtype);
  TensorHandle receive(Shape&& shape, Dtype dtype);  // for a message; messages have their own address space
  TensorHandle refer(Ptr ptr, Shape&& shape, Dtype dtype, std::int64_t row_stride) const;
  // Implement the functions of Context with these names.
  TensorHandle zeros(Shape&& shape, Dtype dtype);
  TensorHandle full(Shape&& shape, Scalar value, Dtype dtype);
  TensorHandle arange(std::int64_t start, std::int64_t end, Dtype dtype);
  TensorHandle trans(const TensorHandle& x) const;
  TensorHandle int4(const TensorHandle& x) const;
  TensorHandle view(const TensorHandle& x, std::int64_t first, Shape&& shape) const;

  ScratchAllocator::Scope open_scope();
  void close_scope(ScratchAllocator::Scope scope);
  bool alive(const TensorHandle& handle) const { return scratch_.alive(handle.scope_); }

  void check_owner(const TensorHandle& handle, int position) const;  // checks that this kernel created it
  void check(const TensorHandle& handle, int position) const;        // also checks that it is in scratch or a message
  void check_writable(const TensorHandle& out, int position) const;  // also checks that it is in scratch
  void check_target(const TensorHandle& out, int position, const TensorType& result) const;
  // `but` describes the operation that a transposed view does not support.
  void check_dense(const TensorHandle& handle, int position, std::string_view but) const;
  std::string describe(const TensorHandle& handle, int position) const;

  static Extent extent(const TensorHandle& handle) { return {handle.pa_, handle.nbytes()}; }
  OperandRef operand(const TensorHandle& handle, int position) const;  // checks the handle
  static OperandRef target(const TensorHandle& out) {
    return OperandRef::tensor({extent(out)}, out.shape_, out.dtype_);
  }

  // Reads contents without a command and without time.
  std::vector<std::byte> read(const TensorHandle& handle) const;
  // Returns no value when the run does not know the contents.
  std::optional<std::vector<std::int64_t>> known_integers(const TensorHandle& handle) const;
  void fill(const TensorHandle& handle, std::uint64_t element) const;  // `element` as returned by encode_element

 private:
  TensorHandle made() const;
  TensorHandle made(std::uint64_t address, Shape&& shape, Dtype dtype) const;
  void write(const TensorHandle& handle, std::vector<std::byte>&& bytes) const;
  void check_written(const TensorHandle& handle) const;  // also checks that no operation in flight writes it
  void check_not_in_use(const Extent& bytes);

  Context& context_;
  contract::IPe& pe_;
  const Call& call_;
  Dispatch& dispatch_;
  ScratchAllocator scratch_;
  ScratchAllocator messages_;  // addresses of received values; uses the scopes of scratch_
};

}  // namespace kb::tl
