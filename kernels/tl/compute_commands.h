// Creates the commands of the built-in engines.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "kernels/tl/call.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/command.h"
#include "platform/engine/built_in_engines.h"
#include "platform/ops/op_types.h"

namespace kb::tl {

// Creates commands that compute in scratch: checks their operands, and allocates the result unless it goes into an
// existing tensor.
class ComputeCommands {
 public:
  ComputeCommands(const Call& call, Tensors& tensors) : call_(call), tensors_(tensors) {
    math_.kind = contract::CommandKind::engine;
    product_.kind = contract::CommandKind::engine;
    product_.use(engine::product_command());
  }

  Dispatch::Work product(const TensorHandle& a, const TensorHandle& b, std::optional<Dtype> out_dtype);
  // `position` is that of `out` among the arguments of the call.
  contract::Command& product_into(const TensorHandle& out, int position, const TensorHandle& a, const TensorHandle& b,
                                  bool accumulate);

  Dispatch::Work math(MathOp op, std::initializer_list<Operand> inputs, std::optional<int> axis,
                      std::optional<Dtype> out_dtype);
  contract::Command& math_into(const TensorHandle& out, MathOp op, std::initializer_list<Operand> inputs);
  // `must_fit`: an integer that does not fit is VALUE_ERROR; otherwise its low bits are kept.
  Dispatch::Work cast(const TensorHandle& x, Dtype dtype, bool must_fit = false);
  contract::Command& cast_into(const TensorHandle& out, const TensorHandle& x);
  Dispatch::Work concat(const std::vector<TensorHandle>& parts, int axis);
  Dispatch::Work rand(Shape&& shape, std::int64_t seed, std::int64_t offset, Dtype dtype);
  Dispatch::Work topk(const TensorHandle& x, std::int64_t k, TensorHandle& positions);

 private:
  using Refs = std::vector<OperandRef>;
  Refs operands(MathOp op, std::initializer_list<Operand> inputs) const;
  Refs cast_operand(const TensorHandle& x) const;
  TensorType result_of(MathOp op, const Refs& inputs, std::optional<int> axis,
                       std::optional<Dtype> out_dtype = std::nullopt) const;
  Dispatch::Work into_new(MathOp op, Refs&& inputs, std::optional<int> axis, TensorType&& result);
  contract::Command& math_command(MathOp op, Refs&& inputs, std::optional<int> axis, const TensorHandle& out);
  contract::Command& product_command(OperandRef&& a, OperandRef&& b, const TensorHandle& out);

  const Call& call_;
  Tensors& tensors_;
  contract::Command math_, product_;  // reused by each call
};

}  // namespace kb::tl
