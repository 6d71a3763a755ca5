#include "platform/ops/epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/split.h"

namespace kb {
namespace {

struct OpRow {
  EpilogueOp op;
  std::string_view name;
  std::string_view field;  // name of its operand; "" = none
  MathOp math;
};
constexpr std::array<OpRow, 4> kOps{{
    {EpilogueOp::dequant, "dequant", "scale", MathOp::mul},
    {EpilogueOp::bias, "bias", "bias", MathOp::add},
    {EpilogueOp::relu, "relu", "", MathOp::relu},
    {EpilogueOp::scale, "scale", "factor", MathOp::mul},
}};
constexpr std::array<std::string_view, 3> kScopes{"k_tile", "output_tile", "kernel"};
constexpr std::array<std::string_view, 3> kSpreads{"full", "row", "column"};

std::string_view name_of(EpilogueOp op, MathOp math) {
  return op == EpilogueOp::math ? math_op_name(math) : kOps[static_cast<std::size_t>(op)].name;
}

// Names of the operations that are allowed as epilogues.
std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpRow& r : kOps) names.emplace_back(r.name);
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (is_elementwise(op) && op != MathOp::relu) names.emplace_back(math_op_name(op));
  }
  return names;
}

// The input of `where` that selects between the other two.
bool is_condition(MathOp op, int input) {
  return op == MathOp::where && input == 0;
}

class ChainCheck {
 public:
  ChainCheck(const Shape& product, Dtype dtype, std::int64_t k_tiles)
      : product_(product), dtype_(dtype), k_tiles_(k_tiles) {}

  void apply(const Epilogue& epilogue) {
    if (epilogue.op == EpilogueOp::math) {
      check_math(epilogue);
    } else {
      const std::string_view field = kOps[static_cast<std::size_t>(epilogue.op)].field;
      if (epilogue.operand.has_value() == field.empty() || epilogue.second) {
        throw fail(epilogue, "SCHEMA_ERROR", field.empty() ? "takes no operand" : fmt::format("needs its {}", field));
      }
      if (epilogue.operand) check_operand(epilogue, *epilogue.operand, field);
    }
    dtype_ = dtype_after(epilogue, dtype_);
  }
  Dtype dtype() const { return dtype_; }

 private:
  void check_math(const Epilogue& epilogue) const {
    const MathOp op = epilogue.math;
    if (!is_elementwise(op)) {
      throw fail(epilogue, "SCHEMA_ERROR", "it is not element-wise; run it as a command of its own");
    }
    const int arity = math_arity(op), given = (epilogue.operand ? 1 : 0) + (epilogue.second ? 1 : 0);
    if (given != arity - 1) {
      throw fail(epilogue, "SCHEMA_ERROR",
                 fmt::format("takes {} operand{} beside the product, not {}", arity - 1, arity == 2 ? "" : "s", given));
    }
    if (epilogue.place < 0 || epilogue.place >= arity) {
      throw fail(epilogue, "SCHEMA_ERROR",
                 fmt::format("the product is to be its input {}; it has {}", epilogue.place + 1, arity));
    }
    const MathDomain domain = math_domain(op);
    if (domain == MathDomain::floats && !is_float(dtype_)) {
      throw fail(epilogue, "DTYPE_ERROR",
                 fmt::format("it is defined for floats; the product is an integer ({}) there, dequant it before",
                             dtype_name(dtype_)));
    }
    if (domain == MathDomain::integers && is_float(dtype_)) {
      throw fail(epilogue, "DTYPE_ERROR", "it is defined for integers; the product is a float there");
    }
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(arity); ++i) {
      check_operand(epilogue, *epilogue.input(i),
                    arity == 2 ? "operand"
                    : i == 0   ? "first operand"
                               : "second operand",
                    static_cast<int>(i) + (static_cast<int>(i) >= epilogue.place ? 1 : 0));
    }
    if (op == MathOp::where && epilogue.place == 0 && is_real(*epilogue.operand) != is_real(*epilogue.second) &&
        !epilogue.operand->immediate && !epilogue.second->immediate) {
      throw fail(epilogue, "DTYPE_ERROR", "one of its operands is a float and one an integer; cast one of them before");
    }
  }

  static bool is_real(const OperandRef& operand) {
    return operand.immediate ? std::holds_alternative<double>(*operand.immediate) : is_float(operand.dtype);
  }

  void check_operand(const Epilogue& epilogue, const OperandRef& operand, std::string_view field, int input = 1) const {
    const bool number = operand.immediate.has_value(), real = is_real(operand);
    if (!number && is_storage(operand.dtype)) {
      throw fail(epilogue, "DTYPE_ERROR",
                 fmt::format("its operand is {}, which is for storage; {} before", dtype_name(operand.dtype),
                             operand.dtype == Dtype::i4 ? "tl.unpack_int4 the i8 tensor" : "tl.cast it"));
    }
    if (epilogue.op == EpilogueOp::dequant) {
      if (!real && !number) throw fail(epilogue, "DTYPE_ERROR", "its scale must have a float dtype");
    } else if (epilogue.op != EpilogueOp::math ||
               !(is_condition(epilogue.math, input) || is_condition(epilogue.math, epilogue.place))) {
      check_same_kind(epilogue, number, real);
    }
    if (!number) check_shape(epilogue, operand.shape, field);
  }

  void check_same_kind(const Epilogue& epilogue, bool number, bool real) const {
    if (real && !is_float(dtype_)) {
      throw fail(epilogue, "DTYPE_ERROR",
                 fmt::format("the product is an integer ({}) there; give an integer or dequant it before",
                             dtype_name(dtype_)));
    }
    if (!real && !number && is_float(dtype_)) {
      throw fail(epilogue, "DTYPE_ERROR", "the product is a float there; give a float operand");
    }
  }

  void check_shape(const Epilogue& epilogue, const Shape& shape, std::string_view field) const {
    Shape slice = shape;
    if (epilogue.scope == EpilogueScope::k_tile && shape.size() == 3 && shape[0] == k_tiles_)
      slice.erase(slice.begin());
    const bool fits = slice.size() <= 2 && [&] {
      for (std::size_t i = 0; i < slice.size(); ++i) {
        const std::int64_t size = slice[slice.size() - 1 - i];
        if (size != 1 && size != product_[1 - i]) return false;
      }
      return true;
    }();
    if (fits) return;
    throw fail(epilogue, "SHAPE_ERROR",
               fmt::format("its {} of shape {} does not broadcast to the product {}{}", field, format_shape(shape),
                           format_shape(product_),
                           epilogue.scope == EpilogueScope::k_tile
                               ? fmt::format(" or give one slice for each of the {} K tiles", k_tiles_)
                               : std::string()));
  }

  static Error fail(const Epilogue& epilogue, std::string code, std::string_view reason) {
    return Error::program(std::move(code), fmt::format("epilogue {} in scope {}: {}", epilogue_name(epilogue),
                                                       epilogue_scope_name(epilogue.scope), reason));
  }

  const Shape& product_;
  Dtype dtype_;
  std::int64_t k_tiles_;
};

// Checks the result dtype `out` for a product of dtype `dtype`.
void check_result(Dtype dtype, Dtype out) {
  if (is_float(dtype) != is_float(out)) {
    throw Error::program("DTYPE_ERROR", fmt::format("the epilogues end in {} numbers, the result cannot be {}",
                                                    is_float(dtype) ? "float" : "integer", dtype_name(out)));
  }
  if (out == Dtype::i4) {
    throw Error::program("DTYPE_ERROR", "the result of the epilogues cannot be i4; make it i8 and tl.pack_int4(x)");
  }
  if (is_float8(out)) {
    throw Error::program(
        "DTYPE_ERROR", fmt::format("the result of the epilogues cannot be {0}; make it f16 and tl.cast(x, Dtype::{0})",
                                   dtype_name(out)));
  }
}

std::optional<Scalar> parse_number(std::string_view digits) {
  const auto parsed = [&](auto value) -> std::optional<Scalar> {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  if (const auto whole = parsed(std::int64_t{})) return whole;
  const auto real = parsed(double{});
  return real && std::isfinite(std::get<double>(*real)) ? real : std::nullopt;
}

class StepParser {
 public:
  explicit StepParser(std::string_view part) : part_(part) {}

  EpilogueText parse() {
    std::string_view name = part_;
    parse_scope(name);
    std::optional<std::string_view> place, operands;
    if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
      place = name.substr(at + 1);
      name = name.substr(0, at);
    }
    if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
      operands = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    if (name.empty()) throw fail("names no operation; give a list like bias,relu:k_tile");
    parse_name(name);
    if (out_.op == EpilogueOp::math) {
      parse_operands(operands);
    } else if (operands) {
      out_.number = number_of(*operands);
    }
    if (out_.op == EpilogueOp::scale && !out_.number) throw fail("scale needs its factor: scale=0.5");
    if (out_.op == EpilogueOp::relu && out_.number) throw fail("relu takes no number");
    if (place) parse_place(*place);
    return out_;
  }

 private:
  Error fail(const std::string& reason) const {
    return Error::program("SCHEMA_ERROR", fmt::format("epilogue '{}': {}", part_, reason));
  }

  void parse_scope(std::string_view& name) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view scope = name.substr(colon + 1);
    const auto parsed = parse_epilogue_scope(scope);
    if (!parsed) throw fail(fmt::format("unknown scope '{}'; {}", scope, suggest(scope, epilogue_scope_names())));
    out_.scope = *parsed;
    name = name.substr(0, colon);
  }

  void parse_name(std::string_view name) {
    for (const OpRow& r : kOps) {
      if (r.name != name) continue;
      out_.op = r.op;
      return;
    }
    const auto math = parse_math_op(name);
    if (!math || !is_elementwise(*math)) {
      throw fail(fmt::format("{} '{}'; {}", math ? "no element-wise operation" : "unknown operation", name,
                             suggest(name, op_names())));
    }
    out_.op = EpilogueOp::math;
    out_.math = *math;
  }

  Scalar number_of(std::string_view digits) const {
    const auto number = parse_number(digits);
    if (!number) throw fail(fmt::format("'{}' is not a number", digits));
    return *number;
  }

  void parse_operands(std::optional<std::string_view> text) {
    const auto wanted = static_cast<std::size_t>(math_arity(out_.math)) - 1;
    if (text) {
      for (const std::string& one : split(*text, '/')) {
        const auto spread = std::find(kSpreads.begin(), kSpreads.end(), one);
        if (spread != kSpreads.end()) {
          out_.arguments.push_back({std::nullopt, static_cast<OperandSpread>(spread - kSpreads.begin())});
          continue;
        }
        const auto number = parse_number(one);
        if (!number) throw fail(fmt::format("'{}' is neither a number nor full, row or column", one));
        out_.arguments.push_back({*number, {}});
      }
    } else {
      out_.arguments.resize(wanted);
    }
    if (out_.arguments.size() == wanted) return;
    throw fail(fmt::format("{} takes {} operand{} beside the product, not {}", math_op_name(out_.math), wanted,
                           wanted == 1 ? "" : "s", out_.arguments.size()));
  }

  void parse_place(std::string_view text) {
    const auto place = parse_number(text);
    const auto* const whole = place ? std::get_if<std::int64_t>(&*place) : nullptr;
    const int arity = out_.op == EpilogueOp::math ? math_arity(out_.math) : 1;
    if (whole == nullptr || *whole < 1 || *whole > arity) {
      throw fail(fmt::format("'@{}' says which input of {} the product is; it has 1 to {}", text,
                             name_of(out_.op, out_.math), arity));
    }
    out_.place = static_cast<int>(*whole) - 1;
  }

  std::string_view part_;
  EpilogueText out_;
};

}  // namespace

std::string_view epilogue_name(const Epilogue& epilogue) {
  return name_of(epilogue.op, epilogue.math);
}
std::string_view epilogue_name(const EpilogueText& epilogue) {
  return name_of(epilogue.op, epilogue.math);
}

std::size_t tensor_arguments(const EpilogueText& epilogue) {
  std::size_t count = 0;
  for (const EpilogueArgument& argument : epilogue.arguments) count += argument.number ? 0 : 1;
  return count;
}

MathOp math_op_of(const Epilogue& epilogue) {
  return epilogue.op == EpilogueOp::math ? epilogue.math : kOps[static_cast<std::size_t>(epilogue.op)].math;
}

std::string_view epilogue_scope_name(EpilogueScope scope) {
  return kScopes[static_cast<std::size_t>(scope)];
}

std::optional<EpilogueScope> parse_epilogue_scope(std::string_view name) {
  const auto found = std::find(kScopes.begin(), kScopes.end(), name);
  if (found == kScopes.end()) return std::nullopt;
  return static_cast<EpilogueScope>(found - kScopes.begin());
}

std::vector<std::string> epilogue_scope_names() {
  return {kScopes.begin(), kScopes.end()};
}

std::vector<EpilogueText> parse_epilogues(std::string_view text) {
  std::vector<EpilogueText> out;
  if (text.empty() || text == "none") return out;
  for (const std::string& one : split(text, ',')) out.push_back(StepParser(one).parse());
  return out;
}

std::vector<const Epilogue*> in_firing_order(const std::vector<Epilogue>& epilogues) {
  std::vector<const Epilogue*> order;
  for (const Epilogue& epilogue : epilogues) order.push_back(&epilogue);
  std::stable_sort(order.begin(), order.end(),
                   [](const Epilogue* a, const Epilogue* b) { return a->scope < b->scope; });
  return order;
}

Dtype dtype_after(const Epilogue& epilogue, Dtype before) {
  if (epilogue.op == EpilogueOp::dequant) return Dtype::f32;
  if (epilogue.op != EpilogueOp::math) return before;
  if (math_form(epilogue.math) == MathForm::comparison) return is_float(before) ? Dtype::i32 : before;
  if (epilogue.math != MathOp::where || epilogue.place != 0) return before;
  // The product is the condition of `where`.
  Dtype chosen = before;
  for (std::size_t i = 0; i < kEpilogueInputs; ++i) {
    const auto& operand = epilogue.input(i);
    if (!operand) continue;
    if (!operand->immediate) return is_float(operand->dtype) ? Dtype::f32 : is_float(before) ? Dtype::i32 : before;
    if (std::holds_alternative<double>(*operand->immediate)) chosen = Dtype::f32;
  }
  return chosen;
}

Dtype epilogue_dtype(const std::vector<Epilogue>& epilogues, std::size_t index, Dtype acc) {
  const EpilogueScope own = epilogues.at(index).scope;
  Dtype dtype = acc;
  for (int scope = 0; scope <= static_cast<int>(own); ++scope) {
    for (std::size_t i = 0; i < epilogues.size(); ++i) {
      if (epilogues[i].scope != static_cast<EpilogueScope>(scope)) continue;
      if (i == index) return epilogues[i].op == EpilogueOp::dequant ? Dtype::f32 : dtype;
      dtype = dtype_after(epilogues[i], dtype);
    }
  }
  return dtype;
}

TensorType composite_gemm_result(const OperandRef& a, const OperandRef& b, const std::vector<Epilogue>& epilogues,
                                 std::int64_t k_tiles, Dtype out) {
  if (epilogues.empty()) return gemm_result(a, b, out);
  const TensorType product = gemm_result(a, b);
  ChainCheck chain(product.shape, default_acc_dtype(product.dtype), k_tiles);
  for (const Epilogue* epilogue : in_firing_order(epilogues)) chain.apply(*epilogue);
  check_result(chain.dtype(), out);
  return {out, product.shape};
}

Shape as_rows(const Shape& shape) {
  if (shape.size() == 2) return shape;
  const std::int64_t n = shape.empty() ? 1 : shape.back();
  return {n == 0 ? 0 : element_count(shape) / n, n};
}

Dtype composite_math_dtype(MathOp op, Dtype x, Dtype out) {
  return default_acc_dtype(op == MathOp::cast && is_float(out) ? out : x);
}

TensorType composite_math_result(MathOp op, const OperandRef& x, const std::vector<Epilogue>& epilogues, Dtype out) {
  TensorType result = math_result(op, {x}, std::nullopt);
  if (epilogues.empty()) {
    if (op == MathOp::cast) result.dtype = out;
    return result;
  }
  if (op == MathOp::cast && is_float(x.dtype) && !is_float(out)) {
    throw Error::program("DTYPE_ERROR", fmt::format("a cast of {} to {} takes no epilogues; they would work on floats",
                                                    dtype_name(x.dtype), dtype_name(out)));
  }
  const Shape rows = as_rows(result.shape);
  ChainCheck chain(rows, composite_math_dtype(op, x.dtype, out), 1);
  for (const Epilogue* epilogue : in_firing_order(epilogues)) chain.apply(*epilogue);
  check_result(chain.dtype(), out);
  return {out, std::move(result.shape)};
}

}  // namespace kb
