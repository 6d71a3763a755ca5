#include "platform/base/op_types.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "platform/base/error.h"

namespace kb {
namespace {

using Eigen::numext::bit_cast;

struct MathRow {
  MathOp op;
  std::string_view name;
  int arity;
  bool floats_only;
};
constexpr std::array<MathRow, kMathOps> kMathRows{{
    {MathOp::add, "add", 2, false},     {MathOp::sub, "sub", 2, false},         {MathOp::mul, "mul", 2, false},
    {MathOp::div, "div", 2, false},     {MathOp::maximum, "maximum", 2, false}, {MathOp::minimum, "minimum", 2, false},
    {MathOp::exp, "exp", 1, true},      {MathOp::log, "log", 1, true},          {MathOp::sqrt, "sqrt", 1, true},
    {MathOp::abs, "abs", 1, false},     {MathOp::neg, "neg", 1, false},         {MathOp::sigmoid, "sigmoid", 1, true},
    {MathOp::cos, "cos", 1, true},      {MathOp::sin, "sin", 1, true},          {MathOp::relu, "relu", 1, false},
    {MathOp::cast, "cast", 1, false},   {MathOp::fma, "fma", 3, false},         {MathOp::clamp, "clamp", 3, false},
    {MathOp::where, "where", 3, false}, {MathOp::sum, "sum", 1, false},         {MathOp::max, "max", 1, false},
    {MathOp::min, "min", 1, false},     {MathOp::softmax, "softmax", 1, true},
}};
const MathRow& row(MathOp op) {
  return kMathRows[static_cast<std::size_t>(op)];
}

std::string describe(std::string_view name, const std::vector<OperandRef>& inputs) {
  std::string text;
  for (const OperandRef& input : inputs) text += (text.empty() ? "" : ", ") + format_operand(input);
  return fmt::format("{}({})", name, text);
}

std::optional<Shape> try_broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

void check_number(const OperandRef& input, const std::string& what) {
  if (const double* real = std::get_if<double>(&*input.immediate)) {
    if (std::isfinite(*real) && *real == std::trunc(*real)) return;
    throw Error::program("DTYPE_ERROR",
                         fmt::format("{}: {} is not an integer; use a float tensor or a whole number", what, *real));
  }
}

// Inexact values end in an odd bit (rounding to odd), so that a second rounding, to fewer bits, is as if it were the
// only one.
float odd_float(double value) {
  auto single = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(single) == value) return single;
  if (std::fabs(static_cast<double>(single)) > std::fabs(value)) single = std::nextafter(single, 0.0f);
  return bit_cast<float>(bit_cast<std::uint32_t>(single) | 1u);
}

template <typename T>
double load_as_double(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

std::uint64_t total_bytes(const std::vector<Extent>& extents) {
  std::uint64_t sum = 0;
  for (const Extent& extent : extents) sum += extent.nbytes;
  return sum;
}

OperandRef OperandRef::tensor(std::vector<Extent> extents, Shape shape, Dtype dtype, bool transposed) {
  return {std::move(extents), std::move(shape), dtype, transposed, std::nullopt};
}

OperandRef OperandRef::number(Scalar value, Dtype dtype) {
  return {{}, {}, dtype, false, value};
}

std::uint64_t OperandRef::nbytes() const {
  return static_cast<std::uint64_t>(element_count(shape)) * item_size(dtype);
}

std::string format_operand(const OperandRef& operand) {
  if (operand.immediate) {
    return std::visit([&](auto v) { return fmt::format("{} number {}", dtype_name(operand.dtype), v); },
                      *operand.immediate);
  }
  return fmt::format("{} {}{}", dtype_name(operand.dtype), format_shape(operand.shape),
                     operand.transposed ? " transposed" : "");
}

std::string_view math_op_name(MathOp op) {
  return row(op).name;
}
int math_arity(MathOp op) {
  return row(op).arity;
}
const std::vector<MathOp>& math_passes(MathOp op) {
  static const std::vector<std::vector<MathOp>> passes = [] {
    std::vector<std::vector<MathOp>> out;
    for (const MathRow& r : kMathRows) out.push_back({r.op});
    const auto set = [&](MathOp of, std::vector<MathOp> parts) {
      out[static_cast<std::size_t>(of)] = std::move(parts);
    };
    set(MathOp::softmax, {MathOp::max, MathOp::sub, MathOp::exp, MathOp::sum, MathOp::div});
    set(MathOp::sigmoid, {MathOp::neg, MathOp::exp, MathOp::add, MathOp::div});
    return out;
  }();
  return passes[static_cast<std::size_t>(op)];
}
bool is_reduction(MathOp op) {
  return op == MathOp::sum || op == MathOp::max || op == MathOp::min;
}

std::optional<MathOp> parse_math_op(std::string_view name) {
  for (const MathRow& r : kMathRows) {
    if (r.name == name) return r.op;
  }
  return std::nullopt;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view what) {
  std::optional<Shape> out = try_broadcast(a, b);
  if (out) return *std::move(out);
  throw Error::program(
      "SHAPE_ERROR", fmt::format("{}: shapes {} and {} do not broadcast; aligned at the last dimension, sizes must be "
                                 "equal or 1",
                                 what, format_shape(a), format_shape(b)));
}

int normalize_axis(int axis, std::size_t rank, std::string_view what) {
  const int dims = static_cast<int>(rank);
  if (axis < -dims || axis >= dims) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: axis {} is outside {} .. {}", what, axis, -dims, dims - 1));
  }
  return axis < 0 ? axis + dims : axis;
}

namespace {

// Floats before integers, wide before narrow: what loses least when the other is cast to it.
int dtype_range(Dtype dtype) {
  return (is_float(dtype) ? 100 : 0) + static_cast<int>(item_size(dtype));
}

// Two operands that one command cannot take, and the cast to write.
std::string two_dtypes(const std::string& first, Dtype one, const std::string& second, Dtype other) {
  const bool keep_first = dtype_range(one) >= dtype_range(other);
  const Dtype wide = keep_first ? one : other, narrow = keep_first ? other : one;
  return fmt::format("{} is {} and {} is {}; cast {} with tl.cast(x, Dtype::{}), or {} with tl.cast(x, Dtype::{})",
                     first, dtype_name(one), second, dtype_name(other), keep_first ? second : first, dtype_name(wide),
                     keep_first ? first : second, dtype_name(narrow));
}

}  // namespace

TensorType math_result(MathOp op, const std::vector<OperandRef>& inputs, std::optional<int> axis) {
  const MathRow& r = row(op);
  const auto what = [&] { return describe(r.name, inputs); };
  if (static_cast<int>(inputs.size()) != r.arity) {
    throw Error::program("SCHEMA_ERROR", fmt::format("{}: takes {} input(s), not {}", what(), r.arity, inputs.size()));
  }
  const std::size_t first = op == MathOp::where ? 1 : 0;
  const Dtype dtype = inputs[first].dtype;
  bool tensor = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    tensor = tensor || !inputs[i].immediate;
    if (inputs[i].immediate && !is_float(inputs[i].dtype)) check_number(inputs[i], what());
    if (i >= first && inputs[i].dtype != dtype) {
      throw Error::program("DTYPE_ERROR", fmt::format("{}: {}", what(),
                                                      two_dtypes(fmt::format("input {}", first + 1), dtype,
                                                                 fmt::format("input {}", i + 1), inputs[i].dtype)));
    }
  }
  if (!tensor) throw Error::program("SHAPE_ERROR", fmt::format("{}: at least one input must be a tensor", what()));
  if (r.floats_only && !is_float(dtype)) {
    throw Error::program("DTYPE_ERROR", fmt::format("{}: is defined for f16, bf16 and f32 only", what()));
  }
  if (axis && !is_reduction(op) && op != MathOp::softmax) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: takes no axis", what()));
  }
  Shape shape = inputs[0].shape;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].immediate || inputs[i].shape == shape) continue;
    std::optional<Shape> both = try_broadcast(shape, inputs[i].shape);
    shape = both ? *std::move(both) : broadcast_shapes(shape, inputs[i].shape, what());
  }
  const bool along_axis = axis || op == MathOp::softmax;
  const int reduced = along_axis ? normalize_axis(axis.value_or(-1), shape.size(), r.name) : -1;
  if (is_reduction(op)) {
    if (op != MathOp::sum && element_count(shape) == 0) {
      throw Error::program("SHAPE_ERROR", fmt::format("{}: an empty tensor has no {}", what(), r.name));
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (reduced < 0 || static_cast<int>(i) == reduced) shape[i] = 1;
    }
  }
  return {dtype, std::move(shape)};
}

Dtype default_acc_dtype(Dtype input) {
  if (is_float(input)) return Dtype::f32;
  return input == Dtype::i64 ? Dtype::i64 : Dtype::i32;
}

TensorType gemm_result(const OperandRef& a, const OperandRef& b, std::optional<Dtype> out) {
  const auto fail = [&](std::string code, std::string_view reason) {
    return Error::program(std::move(code),
                          fmt::format("dot({}, {}): {}", format_operand(a), format_operand(b), reason));
  };
  if (a.shape.size() != 2 || b.shape.size() != 2 || a.immediate || b.immediate) {
    throw fail("SHAPE_ERROR", "both operands must be two-dimensional tensors");
  }
  if (a.shape[1] != b.shape[0]) {
    throw fail("SHAPE_ERROR", fmt::format("the inner dimensions {} and {} must be equal", a.shape[1], b.shape[0]));
  }
  if (a.dtype != b.dtype) throw fail("DTYPE_ERROR", two_dtypes("the first", a.dtype, "the second", b.dtype));
  const Dtype result = out.value_or(a.dtype);
  if (is_float(result) != is_float(a.dtype)) {
    throw fail("DTYPE_ERROR",
               fmt::format("the result cannot be {}: floats stay floats, integers stay integers", dtype_name(result)));
  }
  return {result, {a.shape[0], b.shape[1]}};
}

std::uint64_t encode_element(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::f16:
      return bit_cast<std::uint16_t>(Eigen::half(odd_float(value)));
    case Dtype::bf16:
      return bit_cast<std::uint16_t>(Eigen::bfloat16(odd_float(value)));
    case Dtype::f32:
      return bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      break;
  }
  const int bits = static_cast<int>(item_size(dtype)) * 8;
  const double limit = std::scalbn(1.0, bits - 1);  // exact: the first value that does not fit
  const double whole = std::trunc(value);
  if (!std::isfinite(value) || whole < -limit || whole >= limit) {
    throw Error::program("VALUE_ERROR", fmt::format("{} does not fit into {}", value, dtype_name(dtype)));
  }
  const auto raw = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  return bits == 64 ? raw : raw & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t encode_element(Dtype dtype, const Scalar& value) {
  const std::int64_t* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) return encode_element(dtype, std::get<double>(value));
  if (dtype == Dtype::i64) return static_cast<std::uint64_t>(*whole);
  return encode_element(dtype, static_cast<double>(*whole));
}

double decode_element(Dtype dtype, const std::byte* bytes) {
  switch (dtype) {
    case Dtype::f16:
      return load_as_double<Eigen::half>(bytes);
    case Dtype::bf16:
      return load_as_double<Eigen::bfloat16>(bytes);
    case Dtype::f32:
      return load_as_double<float>(bytes);
    case Dtype::i8:
      return load_as_double<std::int8_t>(bytes);
    case Dtype::i16:
      return load_as_double<std::int16_t>(bytes);
    case Dtype::i32:
      return load_as_double<std::int32_t>(bytes);
    case Dtype::i64:
      return load_as_double<std::int64_t>(bytes);
  }
  return 0.0;
}

}  // namespace kb
