// The operations of PE_MATH: their names, their forms and what they cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kb {

enum class MathOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  maximum,
  minimum,  // two inputs, broadcast
  exp,
  log,
  sqrt,
  abs,
  neg,
  sigmoid,
  cos,
  sin,
  relu,
  cast,  // one input
  fma,
  clamp,
  where,  // three inputs, broadcast
  sum,
  max,
  min,      // one input, reduced axis becomes size 1
  softmax,  // one input along an axis, same shape
  rsqrt,
  tanh,
  erf,
  gelu,
  gelu_tanh,
  silu,
  floor,
  ceil,
  round,    // one input, floats
  bit_not,  // one input, integers
  mod,      // two inputs, broadcast
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  shr_logical,  // two inputs, integers, broadcast
  eq,
  ne,
  lt,
  le,
  gt,
  ge,      // two inputs, broadcast; 0 or 1 in integers as wide as the inputs
  cumsum,  // one input along an axis, same shape
  argmax,
  argmin,  // one input, reduced axis becomes size 1; i32
  topk,    // one input and a number k; along the last axis, which becomes k
  concat,  // any number of inputs along an axis
  unpack_int4,
  pack_int4,  // one input, i8: two 4-bit integers in a byte; the last axis doubles, or halves
  rand,       // the numbers seed and offset; any shape
};
inline constexpr int kMathOps = static_cast<int>(MathOp::rand) + 1;

// How the elements of the result depend on those of the inputs.
enum class MathForm : std::uint8_t {
  elementwise,    // one on one, after broadcasting
  comparison,     // the same, 0 or 1
  conversion,     // cast
  reduction,      // sum, max, min
  arg_reduction,  // argmax, argmin
  along_axis,     // softmax, cumsum
  selection,      // topk
  joining,        // concat
  repacking,      // unpack_int4, pack_int4
  generation,     // rand
};

// The dtypes an operation is for.
enum class MathDomain : std::uint8_t { any, floats, integers };

std::string_view math_op_name(MathOp op);
std::optional<MathOp> parse_math_op(std::string_view name);
inline constexpr int kAnyArity = -1;
int math_arity(MathOp op);  // kAnyArity: one or more
MathForm math_form(MathOp op);
MathDomain math_domain(MathOp op);
bool is_elementwise(MathOp op);  // of form elementwise or comparison
bool is_reduction(MathOp op);    // sum, max, min
bool has_out_dtype(MathOp op);   // these, cumsum, argmax and argmin: the caller may choose the dtype of the result
// The operations of one pass over the elements that `op` consists of, itself when it is one. How many there are is what
// it costs on PE_MATH (P-41), so that it takes as long as the same written out in a kernel. topk makes its passes k
// times.
const std::vector<MathOp>& math_passes(MathOp op);

}  // namespace kb
