#include "platform/base/epilogue.h"

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
  std::string_view field;  // what its operand is called; "" = none
  MathOp cost;
};
constexpr std::array<OpRow, 4> kOps{{
    {EpilogueOp::dequant, "dequant", "scale", MathOp::mul},
    {EpilogueOp::bias, "bias", "bias", MathOp::add},
    {EpilogueOp::relu, "relu", "", MathOp::relu},
    {EpilogueOp::scale, "scale", "factor", MathOp::mul},
}};
constexpr std::array<std::string_view, 3> kScopes{"k_tile", "output_tile", "kernel"};

const OpRow& row(EpilogueOp op) {
  return kOps[static_cast<std::size_t>(op)];
}

class ChainCheck {
 public:
  ChainCheck(const Shape& product, Dtype dtype, std::int64_t k_tiles)
      : product_(product), dtype_(dtype), k_tiles_(k_tiles) {}

  void apply(const Epilogue& epilogue) {
    const std::string_view field = row(epilogue.op).field;
    if (epilogue.operand.has_value() == field.empty()) {
      throw fail(epilogue, "SCHEMA_ERROR", field.empty() ? "takes no operand" : fmt::format("needs its {}", field));
    }
    if (epilogue.operand) check_operand(epilogue, *epilogue.operand);
    if (epilogue.op == EpilogueOp::dequant) dtype_ = Dtype::f32;
  }
  Dtype dtype() const { return dtype_; }

 private:
  void check_operand(const Epilogue& epilogue, const OperandRef& operand) const {
    const bool number = operand.immediate.has_value();
    if (!number && is_storage(operand.dtype)) {
      throw fail(epilogue, "DTYPE_ERROR",
                 fmt::format("its operand is {}, which is for storage; {} before", dtype_name(operand.dtype),
                             operand.dtype == Dtype::i4 ? "tl.unpack_int4 the i8 tensor" : "tl.cast it"));
    }
    const bool real = number ? std::holds_alternative<double>(*operand.immediate) : is_float(operand.dtype);
    if (epilogue.op == EpilogueOp::dequant) {
      if (!real && !number) throw fail(epilogue, "DTYPE_ERROR", "its scale must have a float dtype");
    } else if (real && !is_float(dtype_)) {
      throw fail(epilogue, "DTYPE_ERROR",
                 fmt::format("the product is an integer ({}) there; give an integer or dequant it before",
                             dtype_name(dtype_)));
    } else if (!real && !number && is_float(dtype_)) {
      throw fail(epilogue, "DTYPE_ERROR", "the product is a float there; give a float operand");
    }
    if (!number) check_shape(epilogue, operand.shape);
  }

  void check_shape(const Epilogue& epilogue, const Shape& shape) const {
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
               fmt::format("its {} of shape {} does not broadcast to the product {}{}", row(epilogue.op).field,
                           format_shape(shape), format_shape(product_),
                           epilogue.scope == EpilogueScope::k_tile
                               ? fmt::format(" or give one slice for each of the {} K tiles", k_tiles_)
                               : std::string()));
  }

  static Error fail(const Epilogue& epilogue, std::string code, std::string_view reason) {
    return Error::program(std::move(code), fmt::format("epilogue {} in scope {}: {}", row(epilogue.op).name,
                                                       epilogue_scope_name(epilogue.scope), reason));
  }

  const Shape& product_;
  Dtype dtype_;
  std::int64_t k_tiles_;
};

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

EpilogueText parse_epilogue(std::string_view part) {
  const auto fail = [&](const std::string& reason) {
    return Error::program("SCHEMA_ERROR", fmt::format("epilogue '{}': {}", part, reason));
  };
  EpilogueText out;
  std::string_view name = part;
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    const std::string_view scope = name.substr(colon + 1);
    const auto parsed = parse_epilogue_scope(scope);
    if (!parsed) throw fail(fmt::format("unknown scope '{}'; {}", scope, suggest(scope, epilogue_scope_names())));
    out.scope = *parsed;
    name = name.substr(0, colon);
  }
  if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
    out.number = parse_number(name.substr(equals + 1));
    if (!out.number) throw fail(fmt::format("'{}' is not a number", name.substr(equals + 1)));
    name = name.substr(0, equals);
  }
  if (name.empty()) throw fail("names no operation; give a list like bias,relu:k_tile");
  const auto op = parse_epilogue_op(name);
  if (!op) throw fail(fmt::format("unknown operation '{}'; {}", name, suggest(name, epilogue_op_names())));
  out.op = *op;
  if (out.op == EpilogueOp::scale && !out.number) throw fail("scale needs its factor: scale=0.5");
  if (out.op == EpilogueOp::relu && out.number) throw fail("relu takes no number");
  return out;
}

}  // namespace

std::string_view epilogue_op_name(EpilogueOp op) {
  return row(op).name;
}

std::optional<EpilogueOp> parse_epilogue_op(std::string_view name) {
  for (const OpRow& r : kOps) {
    if (r.name == name) return r.op;
  }
  return std::nullopt;
}

std::vector<std::string> epilogue_op_names() {
  std::vector<std::string> names;
  for (const OpRow& r : kOps) names.emplace_back(r.name);
  return names;
}

MathOp math_op_of(EpilogueOp op) {
  return row(op).cost;
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
  for (const std::string& one : split(text, ',')) out.push_back(parse_epilogue(one));
  return out;
}

std::vector<const Epilogue*> in_firing_order(const std::vector<Epilogue>& epilogues) {
  std::vector<const Epilogue*> order;
  for (const Epilogue& epilogue : epilogues) order.push_back(&epilogue);
  std::stable_sort(order.begin(), order.end(),
                   [](const Epilogue* a, const Epilogue* b) { return a->scope < b->scope; });
  return order;
}

Dtype epilogue_dtype(const std::vector<Epilogue>& epilogues, std::size_t index, Dtype acc) {
  const EpilogueScope scope = epilogues.at(index).scope;
  for (std::size_t i = 0; i < epilogues.size(); ++i) {
    const bool fired = epilogues[i].scope < scope || (epilogues[i].scope == scope && i <= index);
    if (fired && epilogues[i].op == EpilogueOp::dequant) return Dtype::f32;
  }
  return acc;
}

TensorType composite_gemm_result(const OperandRef& a, const OperandRef& b, const std::vector<Epilogue>& epilogues,
                                 std::int64_t k_tiles, Dtype out) {
  if (epilogues.empty()) return gemm_result(a, b, out);
  const TensorType product = gemm_result(a, b);
  ChainCheck chain(product.shape, default_acc_dtype(product.dtype), k_tiles);
  for (const Epilogue* epilogue : in_firing_order(epilogues)) chain.apply(*epilogue);
  if (is_float(chain.dtype()) != is_float(out)) {
    throw Error::program("DTYPE_ERROR", fmt::format("the epilogues end in {} numbers, the result cannot be {}",
                                                    is_float(chain.dtype()) ? "float" : "integer", dtype_name(out)));
  }
  if (out == Dtype::i4) {
    throw Error::program("DTYPE_ERROR", "the result of the epilogues cannot be i4; make it i8 and tl.pack_int4(x)");
  }
  if (is_float8(out)) {
    throw Error::program(
        "DTYPE_ERROR", fmt::format("the result of the epilogues cannot be {0}; make it f16 and tl.cast(x, Dtype::{0})",
                                   dtype_name(out)));
  }
  return {out, product.shape};
}

}  // namespace kb
