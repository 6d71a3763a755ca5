// Operations of PE_MATH as single calls on tensors (P-56).
#pragma once

#include <initializer_list>
#include <optional>

#include "kernels/tl/tensor_handle.h"
#include "platform/contract/source_line.h"
#include "platform/ops/op_types.h"

namespace kb::tl {

using contract::SourceLine;

// Each call is one MATH command with a new result tensor. Operands of different shapes broadcast as in NumPy. All
// operands have one dtype, except for the promotion of f16 and bf16 to f32 and the condition of `where`. Other shapes
// and dtypes are program Errors SHAPE_ERROR, DTYPE_ERROR.
class MathCalls {
 public:
  // --- Elementwise.
  TensorHandle add(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::add, "add", at, {a, b});
  }
  TensorHandle sub(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::sub, "sub", at, {a, b});
  }
  TensorHandle mul(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::mul, "mul", at, {a, b});
  }
  TensorHandle div(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::div, "div", at, {a, b});
  }
  TensorHandle maximum(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::maximum, "maximum", at, {a, b});
  }
  TensorHandle minimum(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::minimum, "minimum", at, {a, b});
  }
  TensorHandle exp(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::exp, "exp", at, {x});
  }
  TensorHandle log(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::log, "log", at, {x});
  }
  TensorHandle sqrt(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::sqrt, "sqrt", at, {x});
  }
  TensorHandle abs(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::abs, "abs", at, {x});
  }
  TensorHandle neg(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::neg, "neg", at, {x});
  }
  TensorHandle sigmoid(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::sigmoid, "sigmoid", at, {x});
  }
  TensorHandle cos(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::cos, "cos", at, {x});
  }
  TensorHandle sin(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::sin, "sin", at, {x});
  }
  TensorHandle relu(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::relu, "relu", at, {x});
  }
  // a * b + c
  TensorHandle fma(const Operand& a, const Operand& b, const Operand& c, SourceLine at = SourceLine::here()) {
    return math(MathOp::fma, "fma", at, {a, b, c});
  }
  TensorHandle clamp(const Operand& x, const Operand& low, const Operand& high, SourceLine at = SourceLine::here()) {
    return math(MathOp::clamp, "clamp", at, {x, low, high});
  }
  // a where cond is not 0, otherwise b
  TensorHandle where(const Operand& cond, const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::where, "where", at, {cond, a, b});
  }

  // For floats: gelu is x Phi(x) by the error function, gelu_tanh its approximation, silu is x sigmoid(x); round rounds
  // ties to even.
  TensorHandle rsqrt(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::rsqrt, "rsqrt", at, {x});
  }
  TensorHandle tanh(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::tanh, "tanh", at, {x});
  }
  TensorHandle erf(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::erf, "erf", at, {x});
  }
  TensorHandle gelu(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::gelu, "gelu", at, {x});
  }
  TensorHandle gelu_tanh(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::gelu_tanh, "gelu_tanh", at, {x});
  }
  TensorHandle silu(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::silu, "silu", at, {x});
  }
  TensorHandle floor(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::floor, "floor", at, {x});
  }
  TensorHandle ceil(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::ceil, "ceil", at, {x});
  }
  TensorHandle round(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::round, "round", at, {x});
  }
  // Remainder of div with the sign of a, as C's % and fmod; for integers, by 0 is a program Error DIVISION_BY_ZERO.
  TensorHandle mod(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::mod, "mod", at, {a, b});
  }
  // For integers. A shift count must be from 0 to the bits of the dtype minus one (program Error VALUE_ERROR); shr
  // keeps the sign, shr_logical shifts in zeros.
  TensorHandle bit_and(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::bit_and, "bit_and", at, {a, b});
  }
  TensorHandle bit_or(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::bit_or, "bit_or", at, {a, b});
  }
  TensorHandle bit_xor(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::bit_xor, "bit_xor", at, {a, b});
  }
  TensorHandle bit_not(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::bit_not, "bit_not", at, {x});
  }
  TensorHandle shl(const Operand& a, const Operand& n, SourceLine at = SourceLine::here()) {
    return math(MathOp::shl, "shl", at, {a, n});
  }
  TensorHandle shr(const Operand& a, const Operand& n, SourceLine at = SourceLine::here()) {
    return math(MathOp::shr, "shr", at, {a, n});
  }
  TensorHandle shr_logical(const Operand& a, const Operand& n, SourceLine at = SourceLine::here()) {
    return math(MathOp::shr_logical, "shr_logical", at, {a, n});
  }
  // The result is 1 or 0 in integers as wide as the inputs (i16 for f16 and bf16, i32 for f32), for where and masks. A
  // NaN is unequal to every value.
  TensorHandle eq(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::eq, "eq", at, {a, b});
  }
  TensorHandle ne(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::ne, "ne", at, {a, b});
  }
  TensorHandle lt(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::lt, "lt", at, {a, b});
  }
  TensorHandle le(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::le, "le", at, {a, b});
  }
  TensorHandle gt(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::gt, "gt", at, {a, b});
  }
  TensorHandle ge(const Operand& a, const Operand& b, SourceLine at = SourceLine::here()) {
    return math(MathOp::ge, "ge", at, {a, b});
  }
  // int4 is stored as i8 with two elements per byte: element 2 i of the last axis in the lower half of byte i (as in
  // ONNX). unpack_int4 doubles the last axis, with values -8 .. 7 in i8; pack_int4 halves it and saturates.
  TensorHandle unpack_int4(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::unpack_int4, "unpack_int4", at, {x});
  }
  TensorHandle pack_int4(const TensorHandle& x, SourceLine at = SourceLine::here()) {
    return math(MathOp::pack_int4, "pack_int4", at, {x});
  }

  // --- Along an axis. A reduction gives the axis size 1 (no axis: all axes); softmax works along one axis. The result
  // of a reduction has `out_dtype`, a float for floats and an integer for integers; without it, i32 for sums of i8 and
  // i16 (also of comparisons) and for positions, otherwise the dtype of x. Floats are added in f32 and rounded once. An
  // integer result that does not fit is a program Error VALUE_ERROR.
  TensorHandle sum(const TensorHandle& x, std::optional<int> axis = std::nullopt,
                   std::optional<Dtype> out_dtype = std::nullopt, SourceLine at = SourceLine::here()) {
    return math(MathOp::sum, "sum", at, {x}, axis, out_dtype);
  }
  TensorHandle max(const TensorHandle& x, std::optional<int> axis = std::nullopt,
                   std::optional<Dtype> out_dtype = std::nullopt, SourceLine at = SourceLine::here()) {
    return math(MathOp::max, "max", at, {x}, axis, out_dtype);
  }
  TensorHandle min(const TensorHandle& x, std::optional<int> axis = std::nullopt,
                   std::optional<Dtype> out_dtype = std::nullopt, SourceLine at = SourceLine::here()) {
    return math(MathOp::min, "min", at, {x}, axis, out_dtype);
  }
  TensorHandle softmax(const TensorHandle& x, int axis = -1, SourceLine at = SourceLine::here()) {
    return math(MathOp::softmax, "softmax", at, {x}, axis);
  }
  // Sum of the elements up to and including each one.
  TensorHandle cumsum(const TensorHandle& x, int axis = -1, std::optional<Dtype> out_dtype = std::nullopt,
                      SourceLine at = SourceLine::here()) {
    return math(MathOp::cumsum, "cumsum", at, {x}, axis, out_dtype);
  }
  // Position of the largest or smallest element: the first of equal ones, or the first NaN if there is one. Without an
  // axis, it is the index of the element in row-major order.
  TensorHandle argmax(const TensorHandle& x, std::optional<int> axis = std::nullopt,
                      std::optional<Dtype> out_dtype = std::nullopt, SourceLine at = SourceLine::here()) {
    return math(MathOp::argmax, "argmax", at, {x}, axis, out_dtype);
  }
  TensorHandle argmin(const TensorHandle& x, std::optional<int> axis = std::nullopt,
                      std::optional<Dtype> out_dtype = std::nullopt, SourceLine at = SourceLine::here()) {
    return math(MathOp::argmin, "argmin", at, {x}, axis, out_dtype);
  }

 protected:
  ~MathCalls() = default;
  // Issues the command to PE_MATH; `call` is its name in errors.
  virtual TensorHandle math(MathOp op, const char* call, SourceLine at, std::initializer_list<Operand> inputs,
                            std::optional<int> axis = std::nullopt, std::optional<Dtype> out_dtype = std::nullopt) = 0;
};

}  // namespace kb::tl
