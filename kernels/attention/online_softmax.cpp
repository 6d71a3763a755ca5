#include "kernels/attention/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kb::kernels {

using tl::TensorHandle;

namespace {
// value of masked products, whose exponential is 0
constexpr double kNotSeen = -std::numeric_limits<double>::infinity();
}  // namespace

OnlineSoftmax::OnlineSoftmax(tl::Context& tl, std::int64_t rows, std::int64_t d, std::optional<double> scale)
    : tl_(tl),
      rows_(rows),
      scale_(scale.value_or(1 / std::sqrt(static_cast<double>(d)))),
      buffer_(tl.empty({rows * (d + 2)}, Dtype::f32)),
      m_(tl.view(buffer_, 0, {rows, 1})),
      l_(tl.view(buffer_, rows, {rows, 1})),
      o_(tl.view(buffer_, 2 * rows, {rows, d})) {}

void OnlineSoftmax::attend(const TensorHandle& q, std::int64_t keys, const Source& k, const Source& v,
                           const Source& mask) {
  const tl::Scratch scope(tl_);
  const TensorHandle scores = tl_.empty({rows_, keys}, Dtype::f32);
  {
    const tl::Scratch keys_scope(tl_);
    tl_.dot_into(scores, q, tl_.trans(k()));
  }
  if (mask) {
    const tl::Scratch mask_scope(tl_);
    tl_.compute_into(scores, MathOp::where, {mask(), scores, kNotSeen});
  }
  const TensorHandle peak = tl_.max(scores, 1);
  if (empty_ && mask) {
    tl_.compute_into(m_, MathOp::maximum, {peak, kMaximumOfNone});
  } else if (empty_) {
    tl_.assign(m_, peak);
  } else {
    const TensorHandle top = tl_.maximum(m_, peak);
    const TensorHandle decay = tl_.exp((m_ - top) * scale_);
    tl_.assign(m_, top);
    tl_.compute_into(l_, MathOp::mul, {l_, decay});
    tl_.compute_into(o_, MathOp::mul, {o_, decay});
  }
  tl_.compute_into(scores, MathOp::fma, {scores, scale_, m_ * -scale_});
  tl_.compute_into(scores, MathOp::exp, {scores});
  const TensorHandle sums = tl_.sum(scores, 1);
  const TensorHandle weights = q.dtype() == Dtype::f32 ? scores : tl_.cast(scores, q.dtype());
  if (empty_) {
    tl_.assign(l_, sums);
    tl_.dot_into(o_, weights, v());
  } else {
    tl_.compute_into(l_, MathOp::add, {l_, sums});
    tl_.dot(weights, v(), o_);
  }
  empty_ = false;
}

void OnlineSoftmax::clear() {
  const tl::Scratch scope(tl_);
  tl_.assign(l_, tl_.zeros(l_.shape(), Dtype::f32));
  tl_.assign(o_, tl_.zeros(o_.shape(), Dtype::f32));
  tl_.assign(m_, tl_.full(m_.shape(), kMaximumOfNone, Dtype::f32));
  empty_ = false;
}

void OnlineSoftmax::merge(const OnlineSoftmax& other) {
  if (empty_) clear();
  const tl::Scratch scope(tl_);
  const TensorHandle top = tl_.maximum(m_, other.m_);
  const TensorHandle mine = tl_.exp((m_ - top) * scale_), theirs = tl_.exp((other.m_ - top) * scale_);
  tl_.compute_into(l_, MathOp::fma, {l_, mine, other.l_ * theirs});
  tl_.compute_into(o_, MathOp::fma, {o_, mine, other.o_ * theirs});
  tl_.assign(m_, top);
}

TensorHandle OnlineSoftmax::result(Dtype dtype) {
  tl_.compute_into(o_, MathOp::div, {o_, l_});
  return dtype == Dtype::f32 ? o_ : tl_.cast(o_, dtype);
}

void OnlineSoftmax::in_parts(std::int64_t slot_bytes, const std::function<void(const TensorHandle&)>& transfer) const {
  const std::int64_t step = slot_bytes / static_cast<std::int64_t>(item_size(Dtype::f32));
  tl_.require(step >= 1, "a slot holds not a single f32; enlarge slot_size");
  const std::int64_t elements = buffer_.size(0);
  for (std::int64_t first = 0; first < elements; first += step) {
    transfer(tl_.view(buffer_, first, {std::min(step, elements - first)}));
  }
}

void OnlineSoftmax::send(std::string_view direction, std::int64_t slot_bytes) {
  if (empty_) clear();
  in_parts(slot_bytes, [&](const TensorHandle& part) { tl_.send(direction, part); });
}

void OnlineSoftmax::receive(std::string_view direction, std::int64_t slot_bytes) {
  in_parts(slot_bytes, [&](const TensorHandle& part) { tl_.recv_into(direction, part); });
  empty_ = false;
}

}  // namespace kb::kernels
