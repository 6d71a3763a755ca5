// Shapes and dtypes of results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/base/error.h"
#include "platform/ops/op_types.h"

namespace kb {
namespace {

using Inputs = std::vector<OperandRef>;

std::string describe(std::string_view name, const Inputs& inputs) {
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

// Floats rank above integers and wide dtypes above narrow ones, so that a cast to the higher rank loses less.
int dtype_range(Dtype dtype) {
  return (is_float(dtype) ? 100 : 0) + static_cast<int>(item_size(dtype));
}

// Message for two operands that need a cast, with the cast to write.
std::string two_dtypes(const std::string& first, Dtype one, const std::string& second, Dtype other) {
  const bool keep_first = dtype_range(one) >= dtype_range(other);
  const Dtype wide = keep_first ? one : other, narrow = keep_first ? other : one;
  return fmt::format("{} is {} and {} is {}; cast {} with tl.cast(x, Dtype::{}), or {} with tl.cast(x, Dtype::{})",
                     first, dtype_name(one), second, dtype_name(other), keep_first ? second : first, dtype_name(wide),
                     keep_first ? first : second, dtype_name(narrow));
}

Error dtype_error(const std::string& what, std::string_view reason) {
  return Error::program("DTYPE_ERROR", fmt::format("{}: {}", what, reason));
}
Error shape_error(const std::string& what, std::string_view reason) {
  return Error::program("SHAPE_ERROR", fmt::format("{}: {}", what, reason));
}

// The common dtype of the inputs from index `first` on.
Dtype common_dtype(MathOp op, const Inputs& inputs, std::size_t first) {
  Dtype dtype = inputs[first].dtype;
  for (std::size_t i = first + 1; i < inputs.size(); ++i) {
    if (inputs[i].dtype == dtype) continue;
    const std::optional<Dtype> both = is_elementwise(op) ? promoted(dtype, inputs[i].dtype) : std::nullopt;
    if (!both) {
      throw dtype_error(
          describe(math_op_name(op), inputs),
          two_dtypes(fmt::format("input {}", first + 1), dtype, fmt::format("input {}", i + 1), inputs[i].dtype));
    }
    dtype = *both;
  }
  return dtype;
}

void check_domain(MathOp op, const Inputs& inputs, Dtype dtype) {
  const MathDomain domain = math_domain(op);
  if (domain == MathDomain::floats && !is_float(dtype)) {
    throw dtype_error(describe(math_op_name(op), inputs), "is defined for f16, bf16 and f32 only");
  }
  if (domain == MathDomain::integers && is_float(dtype)) {
    throw dtype_error(describe(math_op_name(op), inputs), "is defined for i8, i16, i32 and i64 only");
  }
}

Shape broadcast_all(MathOp op, const Inputs& inputs) {
  Shape shape = inputs[0].shape;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].immediate || inputs[i].shape == shape) continue;
    std::optional<Shape> both = try_broadcast(shape, inputs[i].shape);
    shape = both ? *std::move(both) : broadcast_shapes(shape, inputs[i].shape, describe(math_op_name(op), inputs));
  }
  return shape;
}

Shape reduced(MathOp op, const Inputs& inputs, std::optional<int> axis) {
  Shape shape = inputs[0].shape;
  const int chosen = axis ? normalize_axis(*axis, shape.size(), math_op_name(op)) : -1;
  if (op != MathOp::sum && element_count(shape) == 0) {
    throw shape_error(describe(math_op_name(op), inputs), fmt::format("an empty tensor has no {}", math_op_name(op)));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (chosen < 0 || static_cast<int>(i) == chosen) shape[i] = 1;
  }
  return shape;
}

// Result dtype of a reduction: i32 for sums of narrow integers and for positions, otherwise the input dtype; or `out`.
Dtype reduced_dtype(MathOp op, const Inputs& inputs, Dtype dtype, std::optional<Dtype> out) {
  const bool positions = math_form(op) == MathForm::arg_reduction, sums = op == MathOp::sum || op == MathOp::cumsum;
  const Dtype own = positions ? Dtype::i32 : sums && !is_float(dtype) ? default_acc_dtype(dtype) : dtype;
  if (!out || *out == own) return own;
  const std::string what = describe(math_op_name(op), inputs);
  if (is_float(*out) != is_float(own)) {
    throw dtype_error(what, fmt::format("the result cannot be {}: {}", dtype_name(*out),
                                        positions ? "positions are integers"
                                                  : "floats stay floats, integers stay integers; tl.cast it"));
  }
  if (is_storage(*out)) {
    throw dtype_error(what,
                      fmt::format("the result cannot be {0}, which is for storage; tl.cast it", dtype_name(*out)));
  }
  return *out;
}

Shape selected(const Inputs& inputs) {
  const std::string what = describe("topk", inputs);
  const auto* const k = inputs[1].immediate ? std::get_if<std::int64_t>(&*inputs[1].immediate) : nullptr;
  if (inputs[0].immediate || k == nullptr) throw shape_error(what, "takes a tensor and a whole number k");
  Shape shape = inputs[0].shape;
  if (shape.empty() || *k < 1 || *k > shape.back()) {
    throw shape_error(what, fmt::format("k is {}; the last axis has 1 to {} elements to select", *k,
                                        shape.empty() ? 0 : shape.back()));
  }
  shape.back() = *k;
  return shape;
}

Shape joined(const Inputs& inputs, int axis) {
  Shape shape = inputs[0].shape;
  const auto along = static_cast<std::size_t>(normalize_axis(axis, shape.size(), "concat"));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Shape& other = inputs[i].shape;
    bool fits = other.size() == shape.size();
    for (std::size_t d = 0; fits && d < shape.size(); ++d) fits = d == along || other[d] == shape[d];
    if (!fits) {
      throw shape_error(describe("concat", inputs),
                        fmt::format("inputs 1 and {} may differ along axis {} only", i + 1, along));
    }
    shape[along] += other[along];
  }
  return shape;
}

// Two elements of the last axis share a byte.
Shape repacked(MathOp op, const Inputs& inputs) {
  const OperandRef& x = inputs[0];
  const auto what = [&] { return describe(math_op_name(op), inputs); };
  if (x.dtype != Dtype::i8) {
    throw dtype_error(what(), fmt::format("two 4-bit integers lie in one i8; the input is {}", dtype_name(x.dtype)));
  }
  if (x.shape.empty()) throw shape_error(what(), "takes a tensor of one dimension or more");
  Shape shape = x.shape;
  if (op == MathOp::unpack_int4) {
    shape.back() *= 2;
    return shape;
  }
  if (shape.back() % 2 != 0) {
    throw shape_error(what(), fmt::format("pairs of the last axis go into one byte; it has {} elements", shape.back()));
  }
  shape.back() /= 2;
  return shape;
}

void check_inputs(MathOp op, const Inputs& inputs) {
  const auto what = [&] { return describe(math_op_name(op), inputs); };
  const int arity = math_arity(op), given = static_cast<int>(inputs.size());
  if (arity == kAnyArity ? given == 0 : given != arity) {
    throw Error::program("SCHEMA_ERROR", arity == kAnyArity
                                             ? fmt::format("{}: takes at least one input", what())
                                             : fmt::format("{}: takes {} input(s), not {}", what(), arity, given));
  }
  bool tensor = false, number = false;
  for (const OperandRef& input : inputs) {
    (input.immediate ? number : tensor) = true;
    if (input.immediate && !is_float(input.dtype)) check_number(input, what());
    if (input.dtype == Dtype::i4) {
      throw dtype_error(what(), "i4 is for dot and composites; tl.unpack_int4 of the i8 tensor gives numbers in i8");
    }
    if (is_storage(input.dtype) && op != MathOp::cast) {
      throw dtype_error(what(), fmt::format("{0} is for storage and dot; cast the {0} tensor with tl.cast(x, "
                                            "Dtype::f16), and the result back",
                                            dtype_name(input.dtype)));
    }
  }
  if (!tensor) throw shape_error(what(), "at least one input must be a tensor");
  if (number && !is_elementwise(op) && op != MathOp::topk) throw shape_error(what(), "takes tensors, not numbers");
}

}  // namespace

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

std::optional<Dtype> promoted(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_storage(a) || is_storage(b)) return std::nullopt;
  if (is_float(a) && is_float(b) && (a == Dtype::f32 || b == Dtype::f32)) return Dtype::f32;
  return std::nullopt;
}

std::optional<Dtype> product_dtype(Dtype a, Dtype b) {
  if (a == Dtype::i4 && b == Dtype::i4) return Dtype::i8;
  if (is_storage(a) && is_storage(b)) return Dtype::f16;
  const auto takes = [](Dtype stored, Dtype other) {
    return stored == Dtype::i4 || (is_storage(stored) && is_float(other));
  };
  if (takes(a, b)) return b;
  if (takes(b, a)) return a;
  return promoted(a, b);
}

Dtype named_dtype(Dtype a, Dtype b) {
  if (a == Dtype::i4 || b == Dtype::i4) return product_dtype(a, b).value_or(a);
  return promoted(a, b).value_or(a);
}

Dtype mask_dtype(Dtype compared) {
  switch (compared) {
    case Dtype::f16:
    case Dtype::bf16:
      return Dtype::i16;
    case Dtype::f32:
      return Dtype::i32;
    default:
      return compared;
  }
}

TensorType math_result(MathOp op, const Inputs& inputs, std::optional<int> axis, std::optional<Dtype> out) {
  const MathForm form = math_form(op);
  if (form == MathForm::generation) return {Dtype::f32, {}};
  check_inputs(op, inputs);
  const Dtype dtype =
      form == MathForm::selection ? inputs[0].dtype : common_dtype(op, inputs, op == MathOp::where ? 1 : 0);
  check_domain(op, inputs, dtype);
  if (out && !has_out_dtype(op)) throw dtype_error(describe(math_op_name(op), inputs), "takes no out_dtype");
  switch (form) {
    case MathForm::reduction:
    case MathForm::arg_reduction:
      return {reduced_dtype(op, inputs, dtype, out), reduced(op, inputs, axis)};
    case MathForm::along_axis:
      normalize_axis(axis.value_or(-1), inputs[0].shape.size(), math_op_name(op));
      return {op == MathOp::cumsum ? reduced_dtype(op, inputs, dtype, out) : dtype, inputs[0].shape};
    case MathForm::joining:
      return {dtype, joined(inputs, axis.value_or(0))};
    default:
      break;
  }
  if (axis) throw shape_error(describe(math_op_name(op), inputs), "takes no axis");
  if (form == MathForm::selection) return {dtype, selected(inputs)};
  if (form == MathForm::repacking) return {dtype, repacked(op, inputs)};
  return {form == MathForm::comparison ? mask_dtype(dtype) : dtype, broadcast_all(op, inputs)};
}

std::int64_t math_elements(MathOp op, const Inputs& inputs, const Shape& out) {
  std::int64_t most = element_count(out);
  for (const OperandRef& input : inputs) most = std::max(most, element_count(input.shape));
  return most * math_rounds(op, inputs);
}

std::int64_t math_rounds(MathOp op, const Inputs& inputs) {
  return op == MathOp::topk ? std::get<std::int64_t>(*inputs.at(1).immediate) : 1;
}

Dtype combined_dtype(Dtype contribution, std::string_view op) {
  return op == "avg" && !is_float(contribution) ? default_acc_dtype(contribution) : contribution;
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
  const std::optional<Dtype> dtype = product_dtype(a.dtype, b.dtype);
  if (!dtype) throw fail("DTYPE_ERROR", two_dtypes("the first", a.dtype, "the second", b.dtype));
  const Dtype result = out.value_or(default_acc_dtype(*dtype));
  if (is_float(result) != is_float(*dtype)) {
    throw fail("DTYPE_ERROR",
               fmt::format("the result cannot be {}: floats stay floats, integers stay integers", dtype_name(result)));
  }
  if (result == Dtype::i4) throw fail("DTYPE_ERROR", "the result cannot be i4; make it i8 and tl.pack_int4(x)");
  if (is_float8(result)) {
    throw fail("DTYPE_ERROR",
               fmt::format("the result cannot be {0}; make it f16 and tl.cast(x, Dtype::{0})", dtype_name(result)));
  }
  return {result, {a.shape[0], b.shape[1]}};
}

}  // namespace kb
