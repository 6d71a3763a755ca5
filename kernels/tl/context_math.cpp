// Operations of PE_MATH whose results are no plain function of their inputs' shapes.
#include <fmt/format.h>

#include <utility>

#include "kernels/tl/context.h"

namespace kb::tl {

using contract::Command;

TopK Context::topk(const TensorHandle& x, std::int64_t k) {
  begin("topk", Cost::dispatched);
  std::vector<OperandRef> refs{operand(x, 1), OperandRef::number(k, Dtype::i32)};
  TensorType result = call_.located([&] { return math_result(MathOp::topk, refs, std::nullopt); });
  TopK out;
  out.values = allocate(result.shape, result.dtype);
  out.indices = allocate(std::move(result.shape), Dtype::i32);
  Command command = math_command(MathOp::topk, std::move(refs), std::nullopt, out.values);
  command.positions = OperandRef::tensor({extent(out.indices)}, out.indices.shape_, out.indices.dtype_);
  emit(command);
  return out;
}

TensorHandle Context::concat(const std::vector<TensorHandle>& parts, int axis) {
  begin("concat", Cost::dispatched);
  std::vector<OperandRef> refs;
  refs.reserve(parts.size());
  for (const TensorHandle& part : parts) refs.push_back(operand(part, static_cast<int>(refs.size()) + 1));
  TensorType result = call_.located([&] { return math_result(MathOp::concat, refs, axis); });
  TensorHandle out = allocate(std::move(result.shape), result.dtype);
  Command command = math_command(MathOp::concat, std::move(refs), axis, out);
  emit(command);
  return out;
}

TensorHandle Context::rand(Shape shape, std::int64_t seed, std::int64_t offset, Dtype dtype) {
  begin("rand", Cost::dispatched);
  if (is_storage(dtype) || (!is_float(dtype) && dtype != Dtype::i32)) {
    call_.raise("DTYPE_ERROR",
                fmt::format("there are no random {}; f16, bf16, f32 and i32 are possible", dtype_name(dtype)));
  }
  TensorHandle out = allocate(std::move(shape), dtype);
  // Its arithmetic is in 32-bit integers, whatever the width of the numbers.
  std::vector<OperandRef> refs{OperandRef::number(seed, Dtype::i32), OperandRef::number(offset, Dtype::i32)};
  Command command = math_command(MathOp::rand, std::move(refs), std::nullopt, out);
  emit(command);
  return out;
}

}  // namespace kb::tl
