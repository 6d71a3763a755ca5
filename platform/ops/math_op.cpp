#include "platform/ops/math_op.h"

#include <array>
#include <utility>

namespace kb {
namespace {

struct MathRow {
  MathOp op;
  std::string_view name;
  int arity;
  MathDomain domain;
  MathForm form;
};
using Op = MathOp;
constexpr auto kAny = MathDomain::any, kFloats = MathDomain::floats, kIntegers = MathDomain::integers;
constexpr auto kEach = MathForm::elementwise, kCompare = MathForm::comparison, kReduce = MathForm::reduction;
constexpr std::array<MathRow, kMathOps> kMathRows{{
    {Op::add, "add", 2, kAny, kEach},
    {Op::sub, "sub", 2, kAny, kEach},
    {Op::mul, "mul", 2, kAny, kEach},
    {Op::div, "div", 2, kAny, kEach},
    {Op::maximum, "maximum", 2, kAny, kEach},
    {Op::minimum, "minimum", 2, kAny, kEach},
    {Op::exp, "exp", 1, kFloats, kEach},
    {Op::log, "log", 1, kFloats, kEach},
    {Op::sqrt, "sqrt", 1, kFloats, kEach},
    {Op::abs, "abs", 1, kAny, kEach},
    {Op::neg, "neg", 1, kAny, kEach},
    {Op::sigmoid, "sigmoid", 1, kFloats, kEach},
    {Op::cos, "cos", 1, kFloats, kEach},
    {Op::sin, "sin", 1, kFloats, kEach},
    {Op::relu, "relu", 1, kAny, kEach},
    {Op::cast, "cast", 1, kAny, MathForm::conversion},
    {Op::fma, "fma", 3, kAny, kEach},
    {Op::clamp, "clamp", 3, kAny, kEach},
    {Op::where, "where", 3, kAny, kEach},
    {Op::sum, "sum", 1, kAny, kReduce},
    {Op::max, "max", 1, kAny, kReduce},
    {Op::min, "min", 1, kAny, kReduce},
    {Op::softmax, "softmax", 1, kFloats, MathForm::along_axis},
    {Op::rsqrt, "rsqrt", 1, kFloats, kEach},
    {Op::tanh, "tanh", 1, kFloats, kEach},
    {Op::erf, "erf", 1, kFloats, kEach},
    {Op::gelu, "gelu", 1, kFloats, kEach},
    {Op::gelu_tanh, "gelu_tanh", 1, kFloats, kEach},
    {Op::silu, "silu", 1, kFloats, kEach},
    {Op::floor, "floor", 1, kFloats, kEach},
    {Op::ceil, "ceil", 1, kFloats, kEach},
    {Op::round, "round", 1, kFloats, kEach},
    {Op::bit_not, "bit_not", 1, kIntegers, kEach},
    {Op::mod, "mod", 2, kAny, kEach},
    {Op::bit_and, "bit_and", 2, kIntegers, kEach},
    {Op::bit_or, "bit_or", 2, kIntegers, kEach},
    {Op::bit_xor, "bit_xor", 2, kIntegers, kEach},
    {Op::shl, "shl", 2, kIntegers, kEach},
    {Op::shr, "shr", 2, kIntegers, kEach},
    {Op::shr_logical, "shr_logical", 2, kIntegers, kEach},
    {Op::eq, "eq", 2, kAny, kCompare},
    {Op::ne, "ne", 2, kAny, kCompare},
    {Op::lt, "lt", 2, kAny, kCompare},
    {Op::le, "le", 2, kAny, kCompare},
    {Op::gt, "gt", 2, kAny, kCompare},
    {Op::ge, "ge", 2, kAny, kCompare},
    {Op::cumsum, "cumsum", 1, kAny, MathForm::along_axis},
    {Op::argmax, "argmax", 1, kAny, MathForm::arg_reduction},
    {Op::argmin, "argmin", 1, kAny, MathForm::arg_reduction},
    {Op::topk, "topk", 2, kAny, MathForm::selection},
    {Op::concat, "concat", kAnyArity, kAny, MathForm::joining},
    {Op::unpack_int4, "unpack_int4", 1, kIntegers, MathForm::repacking},
    {Op::pack_int4, "pack_int4", 1, kIntegers, MathForm::repacking},
    {Op::rand, "rand", 2, kAny, MathForm::generation},
}};
constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kMathRows.size(); ++i) {
    if (kMathRows[i].op != static_cast<MathOp>(i)) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

const MathRow& row(MathOp op) {
  return kMathRows[static_cast<std::size_t>(op)];
}

using Passes = std::vector<MathOp>;

Passes operator+(Passes a, const Passes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::array<Passes, kMathOps> passes_of_all() {
  std::array<Passes, kMathOps> out;
  for (const MathRow& r : kMathRows) out[static_cast<std::size_t>(r.op)] = {r.op};
  const auto set = [&](MathOp op, Passes parts) { out[static_cast<std::size_t>(op)] = std::move(parts); };
  set(Op::softmax, {Op::max, Op::sub, Op::exp, Op::sum, Op::div});
  set(Op::sigmoid, {Op::neg, Op::exp, Op::add, Op::div});
  set(Op::silu, {Op::neg, Op::exp, Op::add, Op::div});                         // x / (1 + e^-x)
  set(Op::tanh, {Op::mul, Op::exp, Op::add, Op::div, Op::sub});                // 2 / (1 + e^-2x) - 1
  set(Op::gelu_tanh, {Op::mul, Op::fma, Op::mul, Op::exp, Op::add, Op::div});  // x / (1 + e^(x (a x^2 + b)))
  // Abramowitz and Stegun 7.1.26: 1 - t (a1 + t (a2 + t (a3 + t (a4 + t a5)))) e^(-x^2) with t = 1 / (1 + p |x|), and
  // the sign of x.
  const Passes erf{Op::abs, Op::fma, Op::div, Op::fma, Op::fma, Op::fma,
                   Op::fma, Op::mul, Op::mul, Op::exp, Op::fma, Op::where};
  set(Op::erf, erf);
  set(Op::gelu, Passes{Op::mul} + erf + Passes{Op::fma, Op::mul});  // x (0.5 erf(x / sqrt 2) + 0.5)
  set(Op::mod, {Op::div, Op::mul, Op::sub});
  set(Op::cumsum, {Op::sum, Op::add});    // Blelloch's scan: an up-sweep and a down-sweep
  set(Op::argmax, {Op::max, Op::where});  // the position is selected together with the value
  set(Op::argmin, {Op::min, Op::where});
  set(Op::topk, {Op::max, Op::where, Op::eq, Op::where});  // for each of k: argmax, then mask it out
  set(Op::unpack_int4, {Op::shl, Op::shr});                // the right shift extends the sign
  set(Op::pack_int4, {Op::maximum, Op::minimum, Op::bit_and, Op::shl, Op::bit_or});
  set(Op::rand, Passes(10, Op::mul) + Passes(10, Op::bit_xor) + Passes{Op::cast});  // rounds of Philox per word
  return out;
}

}  // namespace

std::string_view math_op_name(MathOp op) {
  return row(op).name;
}
int math_arity(MathOp op) {
  return row(op).arity;
}
MathForm math_form(MathOp op) {
  return row(op).form;
}
MathDomain math_domain(MathOp op) {
  return row(op).domain;
}
bool is_elementwise(MathOp op) {
  return row(op).form == MathForm::elementwise || row(op).form == MathForm::comparison;
}
bool is_reduction(MathOp op) {
  return row(op).form == MathForm::reduction;
}

bool has_out_dtype(MathOp op) {
  return is_reduction(op) || math_form(op) == MathForm::arg_reduction || op == MathOp::cumsum;
}

const std::vector<MathOp>& math_passes(MathOp op) {
  static const std::array<Passes, kMathOps> passes = passes_of_all();
  return passes[static_cast<std::size_t>(op)];
}

std::optional<MathOp> parse_math_op(std::string_view name) {
  for (const MathRow& r : kMathRows) {
    if (r.name == name) return r.op;
  }
  return std::nullopt;
}

}  // namespace kb
