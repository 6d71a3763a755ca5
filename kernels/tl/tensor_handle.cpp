#include "kernels/tl/tensor_handle.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kernels/tl/context.h"
#include "platform/base/error.h"
#include "platform/base/int4.h"

namespace kb::tl {
namespace {

// Reorders values from storage order to the order of the transposed shape.
template <typename T>
std::vector<T> transpose_last_two(const Shape& shape, const std::vector<T>& stored) {
  const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]);
  const auto cols = static_cast<std::size_t>(shape[shape.size() - 1]);
  std::vector<T> out(stored.size());
  for (std::size_t base = 0; base < stored.size(); base += rows * cols) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) out[base + r * cols + c] = stored[base + c * rows + r];
    }
  }
  return out;
}

std::int64_t decode_integer(Dtype dtype, const std::byte* bytes) {
  // exact for dtypes below 64 bits
  if (dtype != Dtype::i64) return static_cast<std::int64_t>(decode_element(dtype, bytes));
  std::int64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T, typename Decode>
std::vector<T> decode_all(const TensorHandle& handle, const std::vector<std::byte>& bytes, Decode decode) {
  const auto count = static_cast<std::size_t>(element_count(handle.shape()));
  std::vector<T> values;
  values.reserve(count);
  if (handle.dtype() == Dtype::i4) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(int4_at(bytes.data(), i)));
  } else {
    const std::size_t step = item_size(handle.dtype());
    for (std::size_t i = 0; i < count; ++i) values.push_back(decode(handle.dtype(), bytes.data() + i * step));
  }
  return handle.transposed() ? transpose_last_two(handle.shape(), values) : values;
}

}  // namespace

Context& TensorHandle::context() const {
  if (context_ == nullptr) {
    throw Error::program("KERNEL_ERROR", "an empty tensor handle was used; assign it a result first");
  }
  return *context_;
}

std::int64_t TensorHandle::size(int axis) const {
  return shape_[static_cast<std::size_t>(normalize_axis(axis, shape_.size(), "size"))];
}

std::vector<double> TensorHandle::to_doubles() const {
  return decode_all<double>(*this, context().contents(*this), decode_element);
}

std::vector<std::int64_t> TensorHandle::to_integers() const {
  return integers_of(context().contents(*this));
}

std::vector<std::int64_t> TensorHandle::integers_of(const std::vector<std::byte>& contents) const {
  return decode_all<std::int64_t>(*this, contents, decode_integer);
}

double TensorHandle::item() const {
  Context& owner = context();
  if (element_count(shape_) != 1) owner.fail("item() of a tensor of shape " + format_shape(shape_));
  return to_doubles().front();
}

namespace {

Context& context_of(const Operand& a, const Operand& b) {
  const TensorHandle* handle = a.handle() != nullptr ? a.handle() : b.handle();
  return handle != nullptr ? handle->context() : TensorHandle().context();
}

}  // namespace

TensorHandle operator+(const Operand& a, const Operand& b) {
  return context_of(a, b).add(a, b, a.at());
}
TensorHandle operator-(const Operand& a, const Operand& b) {
  return context_of(a, b).sub(a, b, a.at());
}
TensorHandle operator*(const Operand& a, const Operand& b) {
  return context_of(a, b).mul(a, b, a.at());
}
TensorHandle operator/(const Operand& a, const Operand& b) {
  return context_of(a, b).div(a, b, a.at());
}
TensorHandle operator-(const Operand& x) {
  return context_of(x, x).neg(*x.handle(), x.at());
}

TensorHandle& operator+=(TensorHandle& a, const Operand& b) {
  a.context().compute_into(a, MathOp::add, {a, b}, b.at());
  return a;
}
TensorHandle& operator-=(TensorHandle& a, const Operand& b) {
  a.context().compute_into(a, MathOp::sub, {a, b}, b.at());
  return a;
}
TensorHandle& operator*=(TensorHandle& a, const Operand& b) {
  a.context().compute_into(a, MathOp::mul, {a, b}, b.at());
  return a;
}
TensorHandle& operator/=(TensorHandle& a, const Operand& b) {
  a.context().compute_into(a, MathOp::div, {a, b}, b.at());
  return a;
}

}  // namespace kb::tl
