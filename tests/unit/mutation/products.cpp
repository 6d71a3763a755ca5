// Products with and without epilogues.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "sw/parallel/initial_values.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/epilogue_reference.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/support.h"
#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;
using sw::ProductContents;

const std::map<Fault, std::string> kPlainProduct{{Fault::no_epilogue, "nothing follows the product"},
                                                 {Fault::wrong_scale, "there is no factor"}};
const std::map<Fault, std::string> kNoFactor{{Fault::wrong_scale, "there is no factor"}};

struct Sizes {
  std::int64_t m, k, n;
};

Sizes draw_sizes(Random& random) {
  return {random.between(10, 24), random.between(2, 160), random.between(12, 24)};
}

Dtype draw_dtype(Random& random, bool integers) {
  return integers ? random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i32})
                  : random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
}

std::string text_of(const Sizes& s, Dtype dtype, const std::string& more = "") {
  return fmt::format("{} x {} x {} {} {}", s.m, s.k, s.n, dtype_name(dtype), more);
}

// Operands of one product and what may follow it.
struct Operands {
  HostArray a, b, bias, scale;
  std::vector<EpilogueText> chain;
  std::vector<HostArray> operands;  // of operations of PE_MATH, in the order of the chain
  std::int64_t tile_k = 0;
  Dtype out = Dtype::f16;
};

bool takes_tiles(const Operands& given) {
  return !given.chain.empty() && given.chain.front().scope == EpilogueScope::k_tile;
}

// The operations of PE_MATH that the chains below have, in f32.
float applied(MathOp op, float x, float y) {
  const auto wide = static_cast<double>(x);
  switch (op) {
    case MathOp::gelu:
      if (std::isinf(x) && x < 0) return -0.0F;
      return static_cast<float>(wide * std::erfc(-wide / std::sqrt(2.0)) / 2);
    case MathOp::silu:
      if (std::isinf(x) && x < 0) return -0.0F;
      return static_cast<float>(wide / (1 + std::exp(-wide)));
    case MathOp::tanh:
      return static_cast<float>(std::tanh(wide));
    case MathOp::add:
      return x + y;
    case MathOp::sub:
      return x - y;
    case MathOp::mul:
      return x * y;
    case MathOp::maximum:
      return larger(x, y);
    default:
      throw std::logic_error("the chains of the mutation tests have no such operation");
  }
}

void apply_math(const EpilogueText& step, const HostArray* operand, float factor, Matrix& x) {
  const Matrix y = operand != nullptr ? matrix_of(*operand) : Matrix{1, 1, {1}};
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const std::size_t row = i / x.cols, column = i % x.cols;
    float other = y.at(y.rows == 1 ? 0 : row, y.cols == 1 ? 0 : column);
    if (step.math == MathOp::mul) other *= factor;
    x.values[i] = applied(step.math, x.values[i], other);
  }
}

void apply_epilogue(const Operands& given, const EpilogueText& step, Matrix& x, std::int64_t tile, float factor) {
  if (step.op == EpilogueOp::math) {
    std::size_t before = 0;  // operands of earlier steps
    for (const EpilogueText& other : given.chain) {
      if (&other == &step) break;
      before += tensor_arguments(other);
    }
    return apply_math(step, tensor_arguments(step) > 0 ? &given.operands[before] : nullptr, factor, x);
  }
  const Matrix bias = matrix_of(given.bias), scale = matrix_of(given.scale);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const std::size_t column = i % x.cols;
    float& value = x.values[i];
    float y = 0;
    if (step.number) y = std::visit([](auto v) { return static_cast<float>(v); }, *step.number);
    switch (step.op) {
      case EpilogueOp::bias:
        value += step.number ? y : bias.at(0, column);
        break;
      case EpilogueOp::relu:
        value = std::max(value, 0.0F);
        break;
      default:
        value *= factor * (step.number ? y : scale.at(scale.rows > 1 ? static_cast<std::size_t>(tile) : 0, column));
    }
  }
}

HostArray compute(const Operands& given, std::optional<Fault> fault, Random& random) {
  const Matrix a = matrix_of(given.a), b = matrix_of(given.b);
  const ProductFault in_product{fault == Fault::lost_term, fault == Fault::stale_accumulator};
  const float factor = fault == Fault::wrong_scale ? 2 : 1;
  const std::size_t step = takes_tiles(given) ? static_cast<std::size_t>(given.tile_k) : a.cols;
  const std::size_t tiles = (a.cols + step - 1) / step, faulty = random.bits() % tiles;
  Matrix sum{a.rows, b.cols, std::vector<float>(a.rows * b.cols)};
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t first = tile * step, count = std::min(step, a.cols - first);
    Matrix part = product(part_of_columns(a, first, count), part_of_rows(b, first, count),
                          tile == faulty ? in_product : ProductFault{}, random);
    for (const EpilogueText& epilogue : given.chain) {
      if (epilogue.scope != EpilogueScope::k_tile || fault == Fault::no_epilogue) continue;
      apply_epilogue(given, epilogue, part, static_cast<std::int64_t>(tile), factor);
    }
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += part.values[i];
  }
  bool omitted = fault != Fault::no_epilogue;
  for (const EpilogueText& epilogue : given.chain) {  // in firing order
    if (epilogue.scope == EpilogueScope::k_tile) continue;
    if (!std::exchange(omitted, true)) continue;  // the first one
    apply_epilogue(given, epilogue, sum, 0, factor);
  }
  return stored(sum, given.out);
}

std::optional<HostArray> compute_or_damage(const Operands& given, std::optional<Fault> fault, Random& random) {
  if (of_memory(fault)) return std::nullopt;
  return compute(given, fault, random);
}

Workload gemm(const std::string& name) {
  return {name,
          [](Random& random, Contents contents) {
            const Sizes s = draw_sizes(random);
            const Dtype dtype = draw_dtype(random, contents == Contents::integers);
            const ProductContents operands(contents, s.k, dtype, dtype);
            const auto given = std::make_shared<Operands>();
            given->a = operands.left(s.m, random.bits());
            given->b = operands.right(s.n, random.bits());
            given->bias = given->scale = HostArray::full({1, s.n}, Dtype::f32, 1);
            given->out = dtype;
            return Trial{text_of(s, dtype),
                         [given](auto fault, Random& r) { return compute_or_damage(*given, fault, r); },
                         [given, k = s.k](const HostArray& c) {
                           return sw::gemm_row("C", given->a, given->b, c, static_cast<double>(k) + 1);
                         },
                         {&given->a, &given->b}};
          },
          kPlainProduct};
}

std::shared_ptr<Operands> composite_operands(Random& random, Contents contents, const Sizes& s,
                                             const std::string& chain, Dtype dtype) {
  const auto given = std::make_shared<Operands>();
  given->chain = sw::firing_order(parse_epilogues(chain));
  const bool dequantizes = chain.find("dequant") != std::string::npos;
  given->out = dequantizes && !is_float(dtype) ? Dtype::f32 : dtype;
  const ProductContents operands(contents, s.k, dtype, given->out, 4);
  given->tile_k = std::min<std::int64_t>(s.k, 16);
  given->a = operands.left(s.m, random.bits());
  given->b = operands.right(s.n, random.bits());
  given->bias = sw::bias_contents(contents, s.n, is_float(dtype) ? dtype : Dtype::i32, random.bits());
  const Shape scales{takes_tiles(*given) ? (s.k + given->tile_k - 1) / given->tile_k : 1, s.n};
  given->scale = contents == Contents::real ? HostArray::random(scales, Dtype::f32, random.bits())
                                            : sw::powers_of_two(scales, Dtype::f32, random.bits());
  return given;
}

std::vector<const HostArray*> pointers(const std::vector<HostArray>& arrays) {
  std::vector<const HostArray*> out;
  for (const HostArray& array : arrays) out.push_back(&array);
  return out;
}

std::vector<HostArray*> with_operands(Operands& given) {
  std::vector<HostArray*> out{&given.a, &given.b};
  for (HostArray& operand : given.operands) out.push_back(&operand);
  return out;
}

// Chains with operations of PE_MATH and tensors; products of about 1, where functions show each term.
Workload with_operations(const std::string& chain, std::map<Fault, std::string> not_applicable) {
  Workload out{"matmul-composite " + chain,
               [chain](Random& random, Contents contents) {
                 const Sizes s = draw_sizes(random);
                 const Dtype dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
                 const auto given = composite_operands(random, contents, s, chain, dtype);
                 std::vector<double> b = given->b.to_doubles();
                 for (double& value : b) value = std::ldexp(value, -5);
                 given->b = HostArray::from_doubles(given->b.shape(), dtype, b);
                 for (const EpilogueText& step : given->chain) {
                   for (const EpilogueArgument& argument : step.arguments) {
                     const Shape shape{argument.spread == OperandSpread::row ? 1 : s.m,
                                       argument.spread == OperandSpread::column ? 1 : s.n};
                     given->operands.push_back(contents == Contents::real
                                                   ? HostArray::random(shape, dtype, random.bits())
                                                   : sw::whole_numbers(shape, dtype, random.bits(), 2));
                   }
                 }
                 return Trial{text_of(s, dtype, chain),
                              [given](auto fault, Random& r) { return compute_or_damage(*given, fault, r); },
                              [given](const HostArray& c) {
                                return sw::epilogue_row("C",
                                                        {&given->a, &given->b, given->chain, &given->bias,
                                                         &given->scale, given->tile_k, pointers(given->operands)},
                                                        c);
                              },
                              with_operands(*given)};
               },
               std::move(not_applicable)};
  out.masks = true;
  return out;
}

// abs(x) + z, one operation of an element-wise composite behind the other.
struct ElementWise {
  HostArray x;
  std::vector<HostArray> operands;
  Dtype dtype = Dtype::f16;
};

std::optional<HostArray> absolute_and_sum(const ElementWise& given, std::optional<Fault> fault, Random& random) {
  if (of_memory(fault)) return std::nullopt;
  Matrix y = matrix_of(given.x);
  const Matrix z = matrix_of(given.operands.front());
  const std::size_t lost = fault == Fault::lost_term ? random.bits() % y.values.size() : y.values.size();
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    y.values[i] = std::fabs(y.values[i]);
    if (i != lost && fault != Fault::no_epilogue) y.values[i] += z.values[i];
  }
  return stored(y, given.dtype);
}

Workload element_wise() {
  Workload out{"math-composite",
               [](Random& random, Contents contents) {
                 const Sizes s = draw_sizes(random);
                 const auto given = std::make_shared<ElementWise>();
                 given->dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32});
                 const auto drawn = [&] {
                   return contents == Contents::real ? HostArray::random({s.m, s.n}, given->dtype, random.bits())
                                                     : sw::whole_numbers({s.m, s.n}, given->dtype, random.bits(), 8);
                 };
                 given->x = drawn();
                 given->operands.push_back(drawn());
                 return Trial{text_of(s, given->dtype, "add=full"),
                              [given](auto fault, Random& r) { return absolute_and_sum(*given, fault, r); },
                              [given](const HostArray& y) {
                                const sw::EpilogueMath problem{MathOp::abs, given->dtype, &given->x,
                                                               parse_epilogues("add=full"), pointers(given->operands)};
                                return sw::epilogue_row("Y", problem, y);
                              },
                              {&given->x, &given->operands.front()}};
               },
               {{Fault::stale_accumulator, "nothing is accumulated"}, {Fault::wrong_scale, "there is no factor"}}};
  out.masks = true;  // a term may be zero
  return out;
}

Workload composite(const std::string& variant, const std::string& chain, std::vector<Dtype> dtypes,
                   std::map<Fault, std::string> not_applicable) {
  Workload out{"matmul-composite " + variant,
               [chain, dtypes](Random& random, Contents contents) {
                 const Sizes s = draw_sizes(random);
                 const Dtype dtype = random.one_of(dtypes);
                 const auto given = composite_operands(random, contents, s, chain, dtype);
                 return Trial{
                     text_of(s, dtype, chain),
                     [given](auto fault, Random& r) { return compute_or_damage(*given, fault, r); },
                     [given](const HostArray& c) {
                       return sw::epilogue_row(
                           "C", {&given->a, &given->b, given->chain, &given->bias, &given->scale, given->tile_k}, c);
                     },
                     {&given->a, &given->b, &given->bias, &given->scale}};
               },
               std::move(not_applicable)};
  out.masks = chain.find("relu") != std::string::npos;
  return out;
}

// `most_products`: beyond them the sums of rows are compared.
Workload linear(const std::string& name, double most_products) {
  return {name,
          [most_products](Random& random, Contents contents) {
            Sizes s = draw_sizes(random);
            if (most_products == 0) s.n = random.between(65, 150);
            const Dtype dtype = draw_dtype(random, contents == Contents::integers);
            const auto given = std::make_shared<Operands>();
            const ProductContents operands(contents, s.k, dtype, dtype);
            given->chain = parse_epilogues("bias");
            given->out = dtype;
            given->a = operands.left(s.m, random.bits());
            given->b = operands.right(s.n, random.bits());
            given->bias = sw::bias_contents(contents, s.n, dtype, random.bits());
            given->scale = HostArray::full({1, s.n}, Dtype::f32, 1);
            return Trial{
                text_of(s, dtype),
                [given](auto fault, Random& r) { return compute_or_damage(*given, fault, r); },
                [given, most_products](const HostArray& y) {
                  const auto verdict = sw::linear_verdict("Y", {&given->a, &given->b, &given->bias}, y, most_products);
                  for (const data::VerificationRow& row : verdict.rows) {
                    if (!row.ok) return row;
                  }
                  return verdict.rows.front();
                },
                {&given->a, &given->b, &given->bias}};
          },
          kNoFactor};
}

// The first layer, or the second one on what the first one gave.
Workload mlp(bool second) {
  Workload out{second ? "mlp Y" : "mlp H",
               [second](Random& random, Contents contents) {
                 Sizes s = draw_sizes(random);
                 const Dtype dtype = draw_dtype(random, contents == Contents::integers);
                 const auto first = std::make_shared<Operands>();
                 const ProductContents operands(contents, s.k, dtype, dtype, is_float(dtype) ? 4 : 5);
                 first->out = dtype;
                 first->chain = parse_epilogues("bias,relu");
                 first->a = operands.left(s.m, random.bits());
                 first->b = operands.right(s.n, random.bits());
                 first->bias = sw::bias_contents(contents, s.n, dtype, random.bits());
                 first->scale = HostArray::full({1, s.n}, Dtype::f32, 1);
                 const auto given = std::make_shared<Operands>(*first);
                 if (second) {
                   given->a = compute(*first, std::nullopt, random);
                   given->b = contents == Contents::real ? HostArray::random({s.n, s.k}, dtype, random.bits())
                                                         : sw::sparse_signs(s.n, s.k, dtype, random.bits());
                   given->bias = sw::bias_contents(contents, s.k, dtype, random.bits());
                   given->chain = parse_epilogues("bias");
                 }
                 return Trial{
                     text_of(s, dtype),
                     [given](auto fault, Random& r) { return compute_or_damage(*given, fault, r); },
                     [given](const HostArray& y) {
                       return sw::epilogue_row("Y", {&given->a, &given->b, given->chain, &given->bias, nullptr, 0}, y);
                     },
                     {&given->a, &given->b, &given->bias}};
               },
               kNoFactor};
  out.masks = true;  // relu, and zeros of H
  return out;
}

}  // namespace

std::vector<Workload> product_workloads() {
  const std::vector<Dtype> floats{Dtype::f16, Dtype::bf16, Dtype::f32}, quantized{Dtype::i8, Dtype::f16};
  return {gemm("gemm-single-pe"),
          gemm("gemm-multi-pe"),
          gemm("matmul-composite-multi-pe"),
          composite("bias, relu", "bias,relu", floats, kNoFactor),
          composite("bias", "bias", floats, kNoFactor),
          composite("scale", "scale=0.5", floats, {}),
          composite("bias, dequant", "bias,dequant", quantized, {}),
          composite("dequant of each K tile", "dequant:k_tile", {Dtype::i8, Dtype::f16, Dtype::f32}, {}),
          with_operations("gelu", kNoFactor),
          with_operations("add=row,silu,mul=full", {}),
          with_operations("mul=column:k_tile,tanh,sub=full", {}),
          with_operations("maximum=full,add=full", kNoFactor),
          element_wise(),
          linear("qkv-gemm", sw::kMaxProducts),
          linear("qkv-gemm-multi-pe", sw::kMaxProducts),
          linear("gpt3-qkv sums of rows", 0),
          mlp(false),
          mlp(true)};
}

}  // namespace kb::mutation
