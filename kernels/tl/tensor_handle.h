// Values of a kernel: tensors in the scratch of the PE it runs on, and the operators on them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/tl/ptr.h"
#include "kernels/tl/scratch_allocator.h"
#include "platform/ops/op_types.h"

namespace kb::tl {

class Context;

// Names a tensor in TCM scratch (or, made by Context::ref, one that was left in memory). Copies name the same bytes. A
// handle knows its Context, so that `c = a + b` needs no global state (P-54), and lives until the tl::Scratch scope it
// was made in ends; later use is a program Error.
class TensorHandle {
 public:
  TensorHandle() = default;  // names nothing; any use is a program Error

  bool null() const { return context_ == nullptr; }
  const Shape& shape() const { return shape_; }
  std::int64_t size(int axis) const;  // program Error SHAPE_ERROR for a bad axis; negative counts from the end
  Dtype dtype() const { return dtype_; }
  std::uint64_t nbytes() const { return storage_bytes(dtype_, element_count(shape_)); }
  bool transposed() const { return transposed_; }
  bool is_ref() const { return !source_.null(); }
  std::uint64_t address() const { return pa_; }            // physical, in scratch; 0 for a ref
  Ptr source() const { return source_; }                   // of a ref
  std::int64_t row_stride() const { return row_stride_; }  // of a ref; 0: dense
  Context& context() const;                                // program Error KERNEL_ERROR for an empty handle

  // The contents in row-major order of shape(). Takes no simulated time. Program Error DATA_ACCESS where the data mode
  // forbids it: always in `off`, for computed values in `replay` (P-62).
  std::vector<double> to_doubles() const;
  // As T (a number type); floats are truncated to integers. Exact for i64 when T is std::int64_t.
  template <typename T>
  std::vector<T> read() const;
  // The one element of a tensor of one element.
  double item() const;

 private:
  friend class Tensors;

  std::vector<std::int64_t> to_integers() const;  // of an integer dtype
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
  const char* call_ = "";        // that made it
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

// An input of an elementwise operation: a tensor, or a number that is taken in the dtype of the tensors.
class Operand {
 public:
  Operand(const TensorHandle& handle) : handle_(&handle) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Operand(T value) {
    if constexpr (std::is_integral_v<T>) {
      number_ = static_cast<std::int64_t>(value);
    } else {
      number_ = static_cast<double>(value);
    }
  }

  const TensorHandle* handle() const { return handle_; }  // null for a number
  const Scalar& number() const { return number_; }

 private:
  const TensorHandle* handle_ = nullptr;
  Scalar number_;
};

// One MATH command each; NumPy broadcasting; both tensors have one dtype (program Errors SHAPE_ERROR, DTYPE_ERROR).
TensorHandle operator+(const Operand& a, const Operand& b);
TensorHandle operator-(const Operand& a, const Operand& b);
TensorHandle operator*(const Operand& a, const Operand& b);
TensorHandle operator/(const Operand& a, const Operand& b);
TensorHandle operator-(const TensorHandle& x);

// In place: the result goes where `a` is and must have its shape and dtype. Every copy of `a` sees it.
TensorHandle& operator+=(TensorHandle& a, const Operand& b);
TensorHandle& operator-=(TensorHandle& a, const Operand& b);
TensorHandle& operator*=(TensorHandle& a, const Operand& b);
TensorHandle& operator/=(TensorHandle& a, const Operand& b);

}  // namespace kb::tl
