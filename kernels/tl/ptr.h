// Where a kernel's data lies, in tensor space: the address model turns it into an address when a command is emitted.
#pragma once

#include <cstdint>
#include <string>

#include "platform/base/dtype.h"

namespace kb::contract {
struct TensorLayout;
}

namespace kb::tl {

// A position in a deployed tensor: its layout and a byte offset in shard order. Arithmetic counts elements of dtype(),
// like Triton's; bytes() counts bytes. A Ptr is a plain value, valid as long as the launch whose argument it came from.
// Positions outside the tensor may be formed, as far as their offsets fit 64 bits; loading or storing there is a
// program Error.
class Ptr {
 public:
  Ptr() = default;
  explicit Ptr(const contract::TensorLayout& tensor);

  bool null() const { return tensor_ == nullptr; }
  const contract::TensorLayout& tensor() const;  // program Error SCHEMA_ERROR for a null Ptr
  const Shape& shape() const;                    // of the whole tensor
  Dtype dtype() const { return dtype_; }         // element type of arithmetic, loads and stores
  std::int64_t offset_bytes() const { return offset_; }
  // Whether shard order is row-major order: the tensor is whole, replicated, or split by rows (its first dimension).
  bool row_major() const;
  // Whether both tensors have one shape and their elements come in the same shard order.
  bool same_order(Ptr other) const;

  // The same place, read as the same type.
  friend bool operator==(const Ptr& a, const Ptr& b) {
    return a.tensor_ == b.tensor_ && a.offset_ == b.offset_ && a.dtype_ == b.dtype_;
  }

  Ptr bytes(std::int64_t count) const { return moved(count); }
  // The same position read as elements of another type: `c.as(Dtype::f32)`.
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
  // A position whose byte offset does not fit 64 bits: program Error ADDRESS_ERROR.
  [[noreturn]] void refuse(std::int64_t steps, std::int64_t bytes_of_a_step) const;

  const contract::TensorLayout* tensor_ = nullptr;
  std::int64_t offset_ = 0;
  Dtype dtype_ = Dtype::f16;
};

// "'x' (64, 128)": name and shape of the tensor, for messages.
std::string shape_text(Ptr tensor);

}  // namespace kb::tl
