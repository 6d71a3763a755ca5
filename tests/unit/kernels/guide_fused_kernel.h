// The fused kernel of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

// guide: begin
#include <kernbench/kernels/tl/tl.h>

// y = relu(x * w + bias), all of it on the PE that runs the kernel: one composite, two epilogues.
inline void linear_relu(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr w, kb::tl::Ptr bias, kb::tl::Ptr y) {
  const std::int64_t m = x.shape()[0], k = x.shape()[1], n = w.shape()[1];
  const kb::tl::TensorHandle row = tl.load(bias, {1, n});
  kb::tl::CompositeOptions options;
  options.epilogue = {kb::tl::Epilogue::bias(row), kb::tl::Epilogue::relu()};
  tl.wait(tl.composite(tl.ref(x, {m, k}), tl.ref(w, {k, n}), y, options));
}

inline kb::contract::Kernel linear_relu_kernel() {
  return kb::tl::make_kernel("linear_relu", "y = relu(x * w + bias)", {"x", "w", "bias", "y"}, linear_relu);
}
// guide: end
