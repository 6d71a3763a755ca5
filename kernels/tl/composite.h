// Composites: asynchronous tiled operations from memory to memory (P-54, P-57).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/tl/tensor_handle.h"
#include "platform/base/reuse_a.h"
#include "platform/base/tile_shape.h"
#include "platform/ops/epilogue.h"

namespace kb::tl {

class Context;

using kb::TileShape;  // elements; element-wise composites do not use k

// A step on the product of a composite GEMM, or on the result of an element-wise composite (P-14). kb::EpilogueOp
// defines the steps; math() takes any element-wise operation of PE_MATH. Operands are numbers or tensors that broadcast
// to the product (m, n): one value per column is (n), one per row is (m, 1). In scope k_tile a tensor of shape (K
// tiles, m or 1, n or 1) has a slice for each K tile. A tensor in scratch must live until the composite has ended; of a
// tensor in memory (a ref), each tile reads its part.
class Epilogue {
 public:
  static Epilogue dequant(const Operand& scale, EpilogueScope scope = EpilogueScope::output_tile) {
    return Epilogue(EpilogueOp::dequant, scope).with(scale);
  }
  static Epilogue bias(const Operand& bias, EpilogueScope scope = EpilogueScope::output_tile) {
    return Epilogue(EpilogueOp::bias, scope).with(bias);
  }
  static Epilogue relu(EpilogueScope scope = EpilogueScope::output_tile) { return {EpilogueOp::relu, scope}; }
  static Epilogue scale(const Operand& factor, EpilogueScope scope = EpilogueScope::output_tile) {
    return Epilogue(EpilogueOp::scale, scope).with(factor);
  }

  // op(x), op(x, y) and op(x, y, z), where x is the product: Epilogue::math(MathOp::gelu), Epilogue::math(MathOp::add,
  // rest).
  static Epilogue math(MathOp op, EpilogueScope scope = EpilogueScope::output_tile) {
    Epilogue out(EpilogueOp::math, scope);
    out.math_ = op;
    return out;
  }
  static Epilogue math(MathOp op, const Operand& y, EpilogueScope scope = EpilogueScope::output_tile) {
    return math(op, scope).with(y);
  }
  static Epilogue math(MathOp op, const Operand& y, const Operand& z,
                       EpilogueScope scope = EpilogueScope::output_tile) {
    return math(op, scope).with(y).with(z);
  }
  // Makes the product another input, counted from 0: math(MathOp::sub, 1.0).product_at(1) is 1 - x, and
  // math(MathOp::where, mask, 0.0).product_at(1) is where(mask, x, 0).
  Epilogue product_at(int input) const {
    Epilogue out = *this;
    out.place_ = input;
    return out;
  }

  // Creates a step from its textual form; `operands` are those of a `math`, in order.
  static Epilogue of(const EpilogueText& text, const std::vector<Operand>& operands) {
    Epilogue out(text.op, text.scope);
    out.math_ = text.math;
    out.place_ = text.place;
    for (const Operand& operand : operands) out = out.with(operand);
    return out;
  }

  // An operand: absent, a tensor, or a number.
  struct Input {
    std::optional<TensorHandle> tensor;
    std::optional<Scalar> number;
  };

  EpilogueOp op() const { return op_; }
  MathOp math_op() const { return math_; }  // for EpilogueOp::math
  EpilogueScope scope() const { return scope_; }
  int place() const { return place_; }
  const std::vector<Input>& inputs() const { return inputs_; }

 private:
  Epilogue(EpilogueOp op, EpilogueScope scope) : op_(op), scope_(scope) {}
  Epilogue with(const Operand& operand) const {
    Epilogue out = *this;
    if (operand.handle() != nullptr) {
      out.inputs_.push_back({*operand.handle(), std::nullopt});
    } else {
      out.inputs_.push_back({std::nullopt, operand.number()});
    }
    return out;
  }

  EpilogueOp op_;
  EpilogueScope scope_;
  MathOp math_ = MathOp::relu;
  int place_ = 0;
  std::vector<Input> inputs_;
};

struct CompositeOptions {
  std::optional<TileShape> tile_shape;  // no value: that of the PE's scheduler
  std::optional<Dtype> acc_dtype;       // GEMM; no value: as for dot
  std::vector<Epilogue> epilogue;
  std::optional<ReuseA> reuse_a;  // GEMM; no value: that of the PE's scheduler (P-102)
};

}  // namespace kb::tl
