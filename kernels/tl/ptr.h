// Pointers into tensors. The address model converts them to addresses when a command is issued.
#pragma once

#include <cstdint>
#include <string>

#include "platform/base/dtype.h"

namespace kb::contract {
struct TensorLayout;
}

namespace kb::tl {

// A position in a deployed tensor: its layout and a byte offset in shard order. Arithmetic counts elements of dtype(),
// like Triton's; bytes() counts bytes. A Ptr is a plain value that is valid during its launch. Positions outside the
// tensor are allowed as long as their offsets fit 64 bits; loading or storing there is a program Error.
class Ptr {
 public:
  Ptr() = default;
  explicit Ptr(const contract::TensorLayout& tensor);

  bool null() const { return tensor_ == nullptr; }
  const contract::TensorLayout& tensor() const;  // program Error SCHEMA_ERROR for a null Ptr
  const Shape& shape() const;                    // shape of the whole tensor
  Dtype dtype() const { return dtype_; }         // element type for arithmetic, loads and stores
  std::int64_t offset_bytes() const { return offset_; }
  // True when shard order is row-major order: the tensor is whole, replicated, or split by rows (its first dimension).
  bool row_major() const;
  // True when both tensors have equal shapes and the same shard order of elements.
  bool same_order(Ptr other) const;

  // Equal when position and element type are equal.
  friend bool operator==(const Ptr& a, const Ptr& b) {
    return a.tensor_ == b.tensor_ && a.offset_ == b.offset_ && a.dtype_ == b.dtype_;
  }

  Ptr bytes(std::int64_t count) const { return moved(count); }
  // The same position with another element type: `c.as(Dtype::f32)`.
  Ptr as(Dtype dtype) const {
    Ptr p = *this;
    p.dtype_ = dtype;
    return p;
  }

  Ptr operator+(std::int64_t elements) const {
    std::int64_t nbytes = 0;
    if (__builtin_mul_overflow(elements, item_bytes(), &nbytes)) refuse(elements, item_bytes());
    return moved(nbytes);
  }
  Ptr operator-(std::int64_t elements) const {
    std::int64_t nbytes = 0;
    if (__builtin_mul_overflow(elements, -item_bytes(), &nbytes)) refuse(elements, -item_bytes());
    return moved(nbytes);
  }
  Ptr& operator+=(std::int64_t elements) { return *this = *this + elements; }
  Ptr& operator-=(std::int64_t elements) { return *this = *this - elements; }

 private:
  std::int64_t item_bytes() const { return static_cast<std::int64_t>(item_size(dtype_)); }
  Ptr moved(std::int64_t nbytes) const {
    Ptr p = *this;
    if (__builtin_add_overflow(offset_, nbytes, &p.offset_)) refuse(nbytes, 1);
    return p;
  }
  // A byte offset that does not fit 64 bits: program Error ADDRESS_ERROR.
  [[noreturn]] void refuse(std::int64_t steps, std::int64_t bytes_of_a_step) const;

  const contract::TensorLayout* tensor_ = nullptr;
  std::int64_t offset_ = 0;
  Dtype dtype_ = Dtype::f16;
};

// Name and shape of the tensor for messages: "'x' (64, 128)".
std::string shape_text(Ptr tensor);

}  // namespace kb::tl
