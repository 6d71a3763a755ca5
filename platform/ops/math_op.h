// Operations of PE_MATH: names, forms and costs.
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
  ge,      // two inputs, broadcast; result 0 or 1 in integers as wide as the inputs
  cumsum,  // one input along an axis, same shape
  argmax,
  argmin,  // one input, reduced axis becomes size 1; i32
  topk,    // one input and a number k; the last axis gets size k
  concat,  // any number of inputs along an axis
  unpack_int4,
  pack_int4,  // one input, i8: two 4-bit integers per byte; the last axis doubles, or halves
  rand,       // two numbers, seed and offset; any shape
};
inline constexpr int kMathOps = static_cast<int>(MathOp::rand) + 1;

// How the elements of the result depend on the inputs.
enum class MathForm : std::uint8_t {
  elementwise,    // element by element, after broadcasting
  comparison,     // element by element, result 0 or 1
  conversion,     // cast
  reduction,      // sum, max, min
  arg_reduction,  // argmax, argmin
  along_axis,     // softmax, cumsum
  selection,      // topk
  joining,        // concat
  repacking,      // unpack_int4, pack_int4
  generation,     // rand
};

// Dtypes that an operation accepts.
enum class MathDomain : std::uint8_t { any, floats, integers };

std::string_view math_op_name(MathOp op);
std::optional<MathOp> parse_math_op(std::string_view name);
inline constexpr int kAnyArity = -1;
int math_arity(MathOp op);  // kAnyArity: one or more
MathForm math_form(MathOp op);
MathDomain math_domain(MathOp op);
bool is_elementwise(MathOp op);  // of form elementwise or comparison
bool is_reduction(MathOp op);    // sum, max, min
bool has_out_dtype(MathOp op);   // reductions, cumsum, argmax and argmin: the caller may choose the dtype of the result
// The single-pass operations that `op` consists of; `op` itself when it has one pass. They determine its cost on
// PE_MATH (P-41), which equals the cost of the same operations written out in a kernel. topk repeats its passes k
// times.
const std::vector<MathOp>& math_passes(MathOp op);

}  // namespace kb
