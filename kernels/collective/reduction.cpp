#include "kernels/collective/reduction.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/tl/scratch.h"
#include "platform/base/nearest.h"

namespace kb::kernels {

using tl::TensorHandle;

const std::vector<std::string>& Reduction::names() {
  static const std::vector<std::string> all{"sum", "max", "min", "avg"};
  return all;
}

Reduction::Reduction(tl::Context& tl, const std::string& name, std::int64_t contributions, Dtype dtype)
    : tl_(tl), dtype_(dtype), combined_(combined_dtype(dtype, name)) {
  if (name == "max") {
    op_ = MathOp::maximum;
  } else if (name == "min") {
    op_ = MathOp::minimum;
  } else if (name == "avg") {
    if (is_float(dtype)) {
      while (scale_ * static_cast<double>(contributions) > 1) scale_ /= 2;
    }
    divisor_ = scale_ * static_cast<double>(contributions);
  } else if (name != "sum") {
    tl.fail(fmt::format("there is no reduction '{}'; {}", name, suggest(name, names())));
  }
}

TensorHandle Reduction::begin(const TensorHandle& x) const {
  if (combined_ != dtype_) return tl_.cast(x, combined_);
  if (scale_ != 1) tl_.compute_into(x, MathOp::mul, {x, scale_});
  return x;
}

TensorHandle Reduction::begun(const TensorHandle& x) const {
  if (combined_ != dtype_) return tl_.cast(x, combined_);
  TensorHandle out = tl_.empty(x.shape(), dtype_);
  if (scale_ != 1) {
    tl_.compute_into(out, MathOp::mul, {x, scale_});
  } else {
    tl_.assign(out, x);
  }
  return out;
}

void Reduction::add(TensorHandle& acc, const TensorHandle& x) const {
  tl_.compute_into(acc, op_, {acc, x});
}

void Reduction::add_unbegun(TensorHandle& acc, const TensorHandle& x) const {
  if (!begins()) return add(acc, x);
  tl::Scratch scratch(tl_);
  add(acc, begun(x));
}

TensorHandle Reduction::room_for(const TensorHandle& acc) const {
  return combined_ == dtype_ ? acc : tl_.empty(acc.shape(), dtype_);
}

void Reduction::finish_into(const TensorHandle& out, const TensorHandle& acc) const {
  if (divisor_ != 1) {
    // The divisor of an operation has the dtype of its tensors, which may have too few bits for it.
    const std::uint64_t bits = encode_element(combined_, divisor_);
    if (decode_element(combined_, reinterpret_cast<const std::byte*>(&bits)) == divisor_) {
      tl_.compute_into(acc, MathOp::div, {acc, divisor_});
    } else {
      tl_.assign(acc, tl_.cast(acc, Dtype::f32) / divisor_);
    }
  }
  if (combined_ != dtype_) tl_.assign(out, acc);
}

TensorHandle Reduction::finish(const TensorHandle& acc) const {
  TensorHandle out = room_for(acc);
  finish_into(out, acc);
  return out;
}

}  // namespace kb::kernels
