#include "kernels/collective/reduction.h"

#include <fmt/format.h>

#include "platform/base/nearest.h"

namespace kb::kernels {

const std::vector<std::string>& Reduction::names() {
  static const std::vector<std::string> all{"sum", "max", "min", "avg"};
  return all;
}

Reduction::Reduction(tl::Context& tl, const std::string& name, std::int64_t contributions) : tl_(tl) {
  if (name == "max") {
    op_ = MathOp::maximum;
  } else if (name == "min") {
    op_ = MathOp::minimum;
  } else if (name == "avg") {
    divisor_ = contributions;
  } else if (name != "sum") {
    tl.fail(fmt::format("there is no reduction '{}'; {}", name, suggest(name, names())));
  }
}

void Reduction::add(tl::TensorHandle& acc, const tl::TensorHandle& x) const {
  tl_.compute_into(acc, op_, {acc, x});
}

void Reduction::finish(tl::TensorHandle& acc) const {
  if (divisor_ != 1) tl_.compute_into(acc, MathOp::div, {acc, divisor_});
}

}  // namespace kb::kernels
