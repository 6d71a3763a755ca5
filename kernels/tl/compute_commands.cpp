#include "kernels/tl/compute_commands.h"

#include <fmt/format.h>

#include <utility>

namespace kb::tl {

using contract::Command;

ComputeCommands::Refs ComputeCommands::operands(MathOp op, std::initializer_list<Operand> inputs) const {
  if (op == MathOp::topk || op == MathOp::rand) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} places its result itself; call tl.{}", math_op_name(op), math_op_name(op)));
  }
  Refs out;
  out.reserve(inputs.size());
  std::optional<Dtype> dtype;  // dtype of the numbers: the promoted dtype of the tensors that share it with the result
  int position = 0;
  for (const Operand& input : inputs) {
    const bool condition = op == MathOp::where && position == 0;
    ++position;
    if (input.handle() == nullptr || condition) continue;
    const Dtype own = input.handle()->dtype(), before = dtype.value_or(own);
    dtype = promoted(before, own).value_or(before);
  }
  position = 0;
  for (const Operand& input : inputs) {
    ++position;
    if (input.handle() != nullptr) {
      out.push_back(tensors_.operand(*input.handle(), position));
    } else {
      out.push_back(OperandRef::number(input.number(), dtype.value_or(Dtype::f32)));
    }
  }
  return out;
}

TensorType ComputeCommands::result_of(MathOp op, const Refs& inputs, std::optional<int> axis,
                                      std::optional<Dtype> out_dtype) const {
  return call_.located([&] { return math_result(op, inputs, axis, out_dtype); });
}

Command& ComputeCommands::math_command(MathOp op, Refs&& inputs, std::optional<int> axis, const TensorHandle& out) {
  math_.use(engine::math_command(op));
  math_.math_op = op;
  math_.inputs = std::move(inputs);
  math_.out = Tensors::target(out);
  math_.axis = axis;
  math_.positions.reset();
  math_.must_fit = false;
  return math_;
}

Dispatch::Work ComputeCommands::into_new(MathOp op, Refs&& inputs, std::optional<int> axis, TensorType&& result) {
  TensorHandle out = tensors_.allocate(std::move(result.shape), result.dtype);
  return {math_command(op, std::move(inputs), axis, out), std::move(out)};
}

Dispatch::Work ComputeCommands::math(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis,
                                     std::optional<Dtype> out_dtype) {
  Refs refs = operands(op, inputs);
  TensorType result = result_of(op, refs, axis, out_dtype);
  return into_new(op, std::move(refs), axis, std::move(result));
}

Command& ComputeCommands::math_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs) {
  Refs refs = operands(op, inputs);
  const std::optional<Dtype> chosen = has_out_dtype(op) ? std::optional<Dtype>(out.dtype()) : std::nullopt;
  tensors_.check_target(out, 0, result_of(op, refs, std::nullopt, chosen));
  return math_command(op, std::move(refs), std::nullopt, out);
}

// The result has the dtype that the kernel requests.
ComputeCommands::Refs ComputeCommands::cast_operand(const TensorHandle& x) const {
  Refs refs{tensors_.operand(x, 1)};
  result_of(MathOp::cast, refs, std::nullopt);
  return refs;
}

Dispatch::Work ComputeCommands::cast(const TensorHandle& x, Dtype dtype, bool must_fit) {
  Dispatch::Work work = into_new(MathOp::cast, cast_operand(x), std::nullopt, {dtype, x.shape()});
  work.command.must_fit = must_fit;
  return work;
}

Command& ComputeCommands::cast_into(const TensorHandle& out, const TensorHandle& x) {
  Refs refs = cast_operand(x);
  tensors_.check_target(out, 0, {out.dtype(), x.shape()});
  return math_command(MathOp::cast, std::move(refs), std::nullopt, out);
}

Dispatch::Work ComputeCommands::concat(const std::vector<TensorHandle>& parts, int axis) {
  Refs refs;
  refs.reserve(parts.size());
  for (const TensorHandle& part : parts) refs.push_back(tensors_.operand(part, static_cast<int>(refs.size()) + 1));
  TensorType result = result_of(MathOp::concat, refs, axis);
  return into_new(MathOp::concat, std::move(refs), axis, std::move(result));
}

Dispatch::Work ComputeCommands::rand(Shape&& shape, std::int64_t seed, std::int64_t offset, Dtype dtype) {
  if (is_storage(dtype) || (!is_float(dtype) && dtype != Dtype::i32)) {
    call_.raise("DTYPE_ERROR",
                fmt::format("there are no random {}; f16, bf16, f32 and i32 are possible", dtype_name(dtype)));
  }
  // The arithmetic uses 32-bit integers, regardless of the width of the numbers.
  return into_new(MathOp::rand, {OperandRef::number(seed, Dtype::i32), OperandRef::number(offset, Dtype::i32)},
                  std::nullopt, {dtype, std::move(shape)});
}

Dispatch::Work ComputeCommands::topk(const TensorHandle& x, std::int64_t k, TensorHandle& positions) {
  Refs refs{tensors_.operand(x, 1), OperandRef::number(k, Dtype::i32)};
  TensorType result = result_of(MathOp::topk, refs, std::nullopt);
  TensorHandle values = tensors_.allocate(Shape(result.shape), result.dtype);
  positions = tensors_.allocate(std::move(result.shape), Dtype::i32);
  Command& command = math_command(MathOp::topk, std::move(refs), std::nullopt, values);
  command.positions = Tensors::target(positions);
  return {command, std::move(values)};
}

Command& ComputeCommands::product_command(OperandRef&& a, OperandRef&& b, const TensorHandle& out) {
  product_.m = a.shape[0];
  product_.k = a.shape[1];
  product_.n = b.shape[1];
  product_.acc_dtype = out.dtype() == Dtype::i64 ? Dtype::i64 : default_acc_dtype(*product_dtype(a.dtype, b.dtype));
  product_.accumulate = false;
  product_.out = Tensors::target(out);
  product_.inputs.clear();
  product_.inputs.push_back(std::move(a));
  product_.inputs.push_back(std::move(b));
  return product_;
}

Dispatch::Work ComputeCommands::product(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype) {
  OperandRef left = tensors_.operand(a, 1);
  OperandRef right = tensors_.operand(b, 2);
  TensorType result = call_.located([&] { return gemm_result(left, right, out_dtype); });
  TensorHandle out = tensors_.allocate(std::move(result.shape), result.dtype);
  return {product_command(std::move(left), std::move(right), out), std::move(out)};
}

Command& ComputeCommands::product_into(const TensorHandle& out, int position, const TensorHandle& a,
                                       const TensorHandle& b, bool accumulate) {
  OperandRef left = tensors_.operand(a, 1);
  OperandRef right = tensors_.operand(b, 2);
  tensors_.check_writable(out, position);
  tensors_.check_target(out, position, call_.located([&] { return gemm_result(left, right, out.dtype()); }));
  Command& command = product_command(std::move(left), std::move(right), out);
  command.accumulate = accumulate;
  return command;
}

}  // namespace kb::tl
