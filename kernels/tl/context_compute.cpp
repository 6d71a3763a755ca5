#include <fmt/format.h>

#include <utility>

#include "kernels/tl/context.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

OperandRef Context::operand(const TensorHandle& handle, int position) const {
  check(handle, position);
  return OperandRef::tensor({extent(handle)}, handle.shape_, handle.dtype_, handle.transposed_);
}

std::vector<OperandRef> Context::operands(MathOp op, const std::initializer_list<Operand>& inputs) const {
  if (op == MathOp::topk || op == MathOp::rand) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} places its result itself; call tl.{}", math_op_name(op), math_op_name(op)));
  }
  std::vector<OperandRef> out;
  out.reserve(inputs.size());
  std::optional<Dtype> dtype;  // of the numbers: that of the tensors which share it with the result, promoted
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
      out.push_back(operand(*input.handle(), position));
    } else {
      out.push_back(OperandRef::number(input.number(), dtype.value_or(Dtype::f32)));
    }
  }
  return out;
}

void Context::check_target(const TensorHandle& out, int position, const TensorType& result) const {
  check_writable(out, position);
  if (out.shape_ != result.shape || out.dtype_ != result.dtype) {
    call_.raise(out.dtype_ != result.dtype ? "DTYPE_ERROR" : "SHAPE_ERROR",
                fmt::format("{} cannot take the result, which is {} {}", describe(out, position),
                            dtype_name(result.dtype), format_shape(result.shape)));
  }
  if (out.transposed_) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is a transposed view and cannot be written", describe(out, position)));
  }
}

Command Context::math_command(MathOp op, std::vector<OperandRef>&& inputs, std::optional<int> axis,
                              const TensorHandle& out) const {
  Command command;
  command.kind = CommandKind::math;
  command.math_op = op;
  command.inputs = std::move(inputs);
  command.out = OperandRef::tensor({extent(out)}, out.shape_, out.dtype_);
  command.axis = axis;
  return command;
}

TensorHandle Context::math(MathOp op, const char* call, std::initializer_list<Operand> inputs,
                           std::optional<int> axis) {
  begin(call, Cost::dispatched);
  std::vector<OperandRef> refs = operands(op, inputs);
  TensorType result = call_.located([&] { return math_result(op, refs, axis); });
  TensorHandle out = allocate(std::move(result.shape), result.dtype);
  Command command = math_command(op, std::move(refs), axis, out);
  emit(command);
  return out;
}

void Context::compute_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs) {
  begin(math_op_name(op).data(), Cost::dispatched);
  Command command = math_into(out, op, inputs);
  emit(command);
}

Command Context::math_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs) const {
  std::vector<OperandRef> refs = operands(op, inputs);
  const TensorType result = call_.located([&] { return math_result(op, refs, std::nullopt); });
  check_target(out, 0, result);
  return math_command(op, std::move(refs), std::nullopt, out);
}

TensorHandle Context::cast(const TensorHandle& x, Dtype dtype) {
  begin("cast", Cost::dispatched);
  std::vector<OperandRef> refs = operands(MathOp::cast, {x});
  call_.located([&] { math_result(MathOp::cast, refs, std::nullopt); });
  TensorHandle out = allocate(x.shape_, dtype);
  Command command = math_command(MathOp::cast, std::move(refs), std::nullopt, out);
  emit(command);
  return out;
}

void Context::assign(const TensorHandle& out, const TensorHandle& x) {
  begin("assign", Cost::dispatched);
  std::vector<OperandRef> refs = operands(MathOp::cast, {x});
  call_.located([&] { math_result(MathOp::cast, refs, std::nullopt); });
  check_target(out, 0, {out.dtype_, x.shape_});
  Command command = math_command(MathOp::cast, std::move(refs), std::nullopt, out);
  emit(command);
}

Command Context::gemm_command(OperandRef&& a, OperandRef&& b, const TensorHandle& out) const {
  Command command;
  command.kind = CommandKind::gemm;
  command.m = a.shape[0];
  command.k = a.shape[1];
  command.n = b.shape[1];
  command.acc_dtype = out.dtype_ == Dtype::i64 ? Dtype::i64 : default_acc_dtype(*product_dtype(a.dtype, b.dtype));
  command.out = OperandRef::tensor({extent(out)}, out.shape_, out.dtype_);
  command.inputs.reserve(2);
  command.inputs.push_back(std::move(a));
  command.inputs.push_back(std::move(b));
  return command;
}

Context::Product Context::product(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype) {
  OperandRef left = operand(a, 1);
  OperandRef right = operand(b, 2);
  TensorType result = call_.located([&] { return gemm_result(left, right, out_dtype); });
  TensorHandle out = allocate(std::move(result.shape), result.dtype);
  Command command = gemm_command(std::move(left), std::move(right), out);
  return {std::move(command), std::move(out)};
}

// `position` of `out` among the arguments of the call.
Command Context::product_into(const TensorHandle& out, int position, const TensorHandle& a, const TensorHandle& b,
                              bool accumulate) const {
  OperandRef left = operand(a, 1);
  OperandRef right = operand(b, 2);
  check_writable(out, position);
  check_target(out, position, call_.located([&] { return gemm_result(left, right, out.dtype_); }));
  Command command = gemm_command(std::move(left), std::move(right), out);
  command.accumulate = accumulate;
  return command;
}

TensorHandle Context::dot(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype) {
  begin("dot", Cost::dispatched);
  Product product = this->product(a, b, out_dtype);
  emit(product.command);
  return std::move(product.out);
}

void Context::dot_into(const TensorHandle& out, const TensorHandle& a, const TensorHandle& b) {
  begin("dot_into", Cost::dispatched);
  Command command = product_into(out, 0, a, b, false);
  emit(command);
}

TensorHandle Context::dot(const TensorHandle& a, const TensorHandle& b, const TensorHandle& acc) {
  begin("dot", Cost::dispatched);
  Command command = product_into(acc, 3, a, b, true);
  emit(command);
  return acc;
}

TensorHandle Context::trans(const TensorHandle& x) {
  begin("trans", Cost::free);
  x.is_ref() ? check_owner(x, 1) : check(x, 1);
  const std::size_t rank = x.shape_.size();
  if (rank < 2) call_.raise("SHAPE_ERROR", fmt::format("{} has no two dimensions to swap", describe(x, 1)));
  TensorHandle out = x;
  std::swap(out.shape_[rank - 1], out.shape_[rank - 2]);
  out.transposed_ = !x.transposed_;
  return out;
}

TensorHandle Context::int4(const TensorHandle& x) {
  begin("int4", Cost::free);
  x.is_ref() ? check_owner(x, 1) : check(x, 1);
  if (x.dtype_ != Dtype::i8)
    call_.raise("DTYPE_ERROR", fmt::format("{} does not hold bytes; give it i8", describe(x, 1)));
  if (x.shape_.size() != 2) call_.raise("SHAPE_ERROR", fmt::format("{} is not a matrix", describe(x, 1)));
  TensorHandle out = x;
  out.dtype_ = Dtype::i4;
  out.shape_[x.transposed_ ? 0 : 1] *= 2;
  return out;
}

TensorHandle Context::view(const TensorHandle& x, std::int64_t first, Shape shape) {
  begin("view", Cost::free);
  check(x, 1);
  if (x.transposed_) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} is a transposed view; tl.cast(x, x.dtype()) makes a dense copy", describe(x, 1)));
  }
  call_.located([&] { item_size(x.dtype_); });
  call_.checked_bytes(shape, x.dtype_);
  const std::int64_t elements = element_count(x.shape_), wanted = element_count(shape);
  if (first < 0 || wanted > elements || first > elements - wanted) {
    call_.raise("SHAPE_ERROR", fmt::format("{} elements from number {} on are not inside of {}, which has {}", wanted,
                                           first, describe(x, 1), elements));
  }
  TensorHandle out = x;
  out.pa_ += static_cast<std::uint64_t>(first) * item_size(x.dtype_);
  out.shape_ = std::move(shape);
  return out;
}

}  // namespace kb::tl
