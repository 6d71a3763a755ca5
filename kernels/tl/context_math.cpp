// Operations of PE_MATH whose results are no plain function of their inputs' shapes.
#include <fmt/format.h>

#include <utility>

#include "kernels/tl/context.h"
#include "kernels/tl/context_located.h"

namespace kb::tl {

TopK Context::topk(const TensorHandle& x, std::int64_t k) {
  begin("topk", Cost::dispatched);
  std::vector<OperandRef> refs{operand(x, 1), OperandRef::number(k, Dtype::i32)};
  TensorType result = located([&] { return math_result(MathOp::topk, refs, std::nullopt); });
  TopK out;
  out.values = allocate(result.shape, result.dtype);
  out.indices = allocate(std::move(result.shape), Dtype::i32);
  emit_math(MathOp::topk, std::move(refs), std::nullopt, out.values, &out.indices);
  return out;
}

TensorHandle Context::concat(const std::vector<TensorHandle>& parts, int axis) {
  begin("concat", Cost::dispatched);
  std::vector<OperandRef> refs;
  refs.reserve(parts.size());
  for (const TensorHandle& part : parts) refs.push_back(operand(part, static_cast<int>(refs.size()) + 1));
  TensorType result = located([&] { return math_result(MathOp::concat, refs, axis); });
  TensorHandle out = allocate(std::move(result.shape), result.dtype);
  emit_math(MathOp::concat, std::move(refs), axis, out);
  return out;
}

TensorHandle Context::rand(Shape shape, std::int64_t seed, std::int64_t offset, Dtype dtype) {
  begin("rand", Cost::dispatched);
  if (is_storage(dtype) || (!is_float(dtype) && dtype != Dtype::i32)) {
    raise("DTYPE_ERROR", fmt::format("there are no random {}; f16, bf16, f32 and i32 are possible", dtype_name(dtype)));
  }
  TensorHandle out = allocate(std::move(shape), dtype);
  // Its arithmetic is in 32-bit integers, whatever the width of the numbers.
  std::vector<OperandRef> refs{OperandRef::number(seed, Dtype::i32), OperandRef::number(offset, Dtype::i32)};
  emit_math(MathOp::rand, std::move(refs), std::nullopt, out);
  return out;
}

}  // namespace kb::tl
