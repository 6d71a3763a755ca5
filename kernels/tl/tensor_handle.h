// Tensors of a kernel in the scratch of its PE, and operators on them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/tl/ptr.h"
#include "kernels/tl/scratch_allocator.h"
#include "platform/contract/source_line.h"
#include "platform/ops/op_types.h"

namespace kb::tl {

class Context;

// Refers to a tensor in TCM scratch, or to one in memory (Context::ref). Copies refer to the same bytes. A handle knows
// its Context, so that `c = a + b` needs no global state (P-54). It is valid until its tl::Scratch scope ends; later
// use is a program Error.
class TensorHandle {
 public:
  TensorHandle() = default;  // an empty handle; any use is a program Error

  bool null() const { return context_ == nullptr; }
  const Shape& shape() const { return shape_; }
  std::int64_t size(int axis) const;  // negative counts from the end; program Error SHAPE_ERROR for an invalid axis
  Dtype dtype() const { return dtype_; }
  std::uint64_t nbytes() const { return storage_bytes(dtype_, element_count(shape_)); }
  bool transposed() const { return transposed_; }
  bool is_ref() const { return !source_.null(); }
  std::uint64_t address() const { return pa_; }            // physical, in scratch; 0 for a ref
  Ptr source() const { return source_; }                   // for a ref
  std::int64_t row_stride() const { return row_stride_; }  // for a ref; 0: dense
  Context& context() const;                                // program Error KERNEL_ERROR for an empty handle

  // The contents in row-major order of shape(). It takes no simulated time. Program Error DATA_ACCESS where the data
  // mode forbids it: always in `off`, for computed values in `replay` (P-62).
  std::vector<double> to_doubles() const;
  // The contents as numbers of type T; floats are truncated to integers. Exact for i64 when T is std::int64_t.
  template <typename T>
  std::vector<T> read() const;
  // The value of a tensor with one element.
  double item() const;

 private:
  friend class Tensors;

  std::vector<std::int64_t> to_integers() const;  // for integer dtypes
  std::vector<std::int64_t> integers_of(const std::vector<std::byte>& contents) const;

  Context* context_ = nullptr;
  std::uint64_t context_id_ = 0;
  ScratchAllocator::Scope scope_;
  std::uint64_t pa_ = 0;
  Shape shape_;
  Dtype dtype_ = Dtype::f16;
  bool transposed_ = false;
  Ptr source_;                   // refs only
  std::int64_t row_stride_ = 0;  // refs only, 0 = dense
  const char* call_ = "";        // the call that created it
  std::uint64_t call_index_ = 0;
};

template <typename T>
std::vector<T> TensorHandle::read() const {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "read<T>() gives numbers");
  if constexpr (std::is_integral_v<T>) {
    if (!is_float(dtype_)) {
      const std::vector<std::int64_t> values = to_integers();
      return std::vector<T>(values.begin(), values.end());
    }
  }
  const std::vector<double> values = to_doubles();
  std::vector<T> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(static_cast<T>(value));
  return out;
}

// An input of an element-wise operation: a tensor, or a number, which takes the dtype of the tensors.
class Operand {
 public:
  Operand(const TensorHandle& handle, contract::SourceLine at = contract::SourceLine::here())
      : handle_(&handle), at_(at) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Operand(T value, contract::SourceLine at = contract::SourceLine::here()) : at_(at) {
    if constexpr (std::is_integral_v<T>) {
      number_ = static_cast<std::int64_t>(value);
    } else {
      number_ = static_cast<double>(value);
    }
  }

  const TensorHandle* handle() const { return handle_; }  // null for a number
  const Scalar& number() const { return number_; }
  contract::SourceLine at() const { return at_; }  // where the operation is written

 private:
  const TensorHandle* handle_ = nullptr;
  Scalar number_;
  contract::SourceLine at_;
};

// Each operator is one MATH command with NumPy broadcasting; both tensors must have one dtype (program Errors
// SHAPE_ERROR, DTYPE_ERROR).
TensorHandle operator+(const Operand& a, const Operand& b);
TensorHandle operator-(const Operand& a, const Operand& b);
TensorHandle operator*(const Operand& a, const Operand& b);
TensorHandle operator/(const Operand& a, const Operand& b);
TensorHandle operator-(const Operand& x);

// In place: the result overwrites `a` and must have its shape and dtype. It is visible in every copy of `a`.
TensorHandle& operator+=(TensorHandle& a, const Operand& b);
TensorHandle& operator-=(TensorHandle& a, const Operand& b);
TensorHandle& operator*=(TensorHandle& a, const Operand& b);
TensorHandle& operator/=(TensorHandle& a, const Operand& b);

}  // namespace kb::tl
