#include "sw/workloads/epilogue_operands.h"

#include <algorithm>
#include <string>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/philox.h"
#include "sw/workloads/epilogue_reference.h"

namespace kb::sw {
namespace {

constexpr std::size_t kMostTensors = 4;  // arguments operand1 to operand4 of the kernels

Shape shape_of(OperandSpread spread, std::int64_t m, std::int64_t n) {
  switch (spread) {
    case OperandSpread::row:
      return {1, n};
    case OperandSpread::column:
      return {m, 1};
    case OperandSpread::full:
      break;
  }
  return {m, n};
}

HostArray masks(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  std::vector<double> values = whole_numbers(shape, Dtype::i32, seed, 8).to_doubles();
  for (double& value : values) value = value > 0 ? 1 : 0;
  return HostArray::from_doubles(shape, dtype, values);
}

HostArray mapped(HostArray array, double (*f)(double)) {
  std::vector<double> values = array.to_doubles();
  for (double& value : values) value = f(value);
  return HostArray::from_doubles(array.shape(), array.dtype(), values);
}

}  // namespace

Parameter epilogue_parameter(const std::string& more) {
  return Parameter::text(
      "epilogue", "none",
      more +
          "any element-wise operation of PE_MATH, mul=full, sub=1@2, clamp=-1/row: an operand is a number or a random "
          "tensor of the result's shape (full, also when nothing is given), of one row or one column, @ says which "
          "input the result is; each with :k_tile, :output_tile or :kernel behind it if wanted");
}

Parameter operand_dtype_parameter() {
  return Parameter::choice("operand_dtype", "auto", {"auto", "f16", "bf16", "f32", "i8", "i16", "i32", "i64"},
                           "of operands of operations of PE_MATH in the epilogue; auto: that of the inputs, i32 beside "
                           "integers");
}

EpilogueOperands::EpilogueOperands(const std::string& text, const Params& params, const Problem& problem) {
  chain_ = parse_epilogues(text);
  const std::string& named = params.text("operand_dtype");
  Dtype state = problem.product;
  std::vector<std::pair<std::size_t, Dtype>> states;
  std::vector<std::size_t> order(chain_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return chain_[a].scope < chain_[b].scope; });
  epilogues_.resize(chain_.size());
  std::vector<std::vector<Input>> inputs(chain_.size());
  for (const std::size_t i : order) {
    const EpilogueText& step = chain_[i];
    Epilogue& epilogue = epilogues_[i];
    epilogue.op = step.op;
    epilogue.scope = step.scope;
    epilogue.math = step.math;
    epilogue.place = step.place;
    const Dtype beside = is_float(state)       ? (is_float(problem.operands) ? problem.operands : Dtype::f32)
                         : state == Dtype::i64 ? Dtype::i64
                                               : Dtype::i32;
    if (step.number) {
      epilogue.operand = OperandRef::number(*step.number, beside);
    } else if (step.op == EpilogueOp::bias) {
      epilogue.operand = OperandRef::tensor({}, {1, 1}, is_float(state) ? beside : Dtype::i32);
    } else if (step.op == EpilogueOp::dequant) {
      epilogue.operand = OperandRef::tensor({}, {1, 1}, Dtype::f32);
    }
    for (std::size_t input = 0; input < step.arguments.size(); ++input) {
      const EpilogueArgument& argument = step.arguments[input];
      if (argument.number) {
        epilogue.input(input) = OperandRef::number(*argument.number, beside);
        continue;
      }
      Input tensor;
      tensor.op = step.math;
      tensor.place = static_cast<int>(input) + (static_cast<int>(input) >= step.place ? 1 : 0);
      tensor.shape = shape_of(argument.spread, problem.m, problem.n);
      tensor.dtype = named == "auto" ? beside : *parse_dtype(named);
      epilogue.input(input) = OperandRef::tensor({}, tensor.shape, tensor.dtype);
      inputs[i].push_back(std::move(tensor));
    }
    state = dtype_after(epilogue, state);
  }
  for (std::vector<Input>& of_step : inputs) {
    for (Input& input : of_step) inputs_.push_back(std::move(input));
  }
  if (inputs_.size() > kMostTensors) {
    throw Error::configuration("a chain takes at most " + std::to_string(kMostTensors) +
                               " tensors as operands of operations of PE_MATH, not " + std::to_string(inputs_.size()) +
                               "; give numbers");
  }
  result_ = state;
}

bool EpilogueOperands::has_functions() const {
  return std::any_of(chain_.begin(), chain_.end(), [](const EpilogueText& step) {
    return step.op == EpilogueOp::math && math_domain(step.math) == MathDomain::floats;
  });
}

// Integers that keep the other operand exact, or reals, within the domain of the operation.
HostArray EpilogueOperands::operand(std::size_t i, Contents contents, std::uint64_t seed) const {
  const Input& input = inputs_.at(i);
  const Shape& shape = input.shape;
  const Dtype dtype = input.dtype;
  const bool reals = contents == Contents::real && is_float(dtype);
  switch (input.op) {
    case MathOp::where:
      if (input.place == 0) return masks(shape, dtype, seed);
      break;
    case MathOp::mul:
    case MathOp::fma:
      if (is_float(dtype) && !reals && !(input.op == MathOp::fma && input.place == 2)) {
        return powers_of_two(shape, dtype, seed);
      }
      break;
    case MathOp::div:
      if (is_float(dtype) && !reals && input.place == 1) return powers_of_two(shape, dtype, seed);
      return positive_contents(contents, shape, dtype, seed);
    case MathOp::mod:
      return positive_contents(contents, shape, dtype, seed);
    case MathOp::shl:
    case MathOp::shr:
    case MathOp::shr_logical:
      if (input.place == 1) return masks(shape, dtype, seed);
      break;
    case MathOp::clamp:
      if (input.place == 1) {
        return mapped(positive_contents(contents, shape, dtype, seed), [](double x) { return -x; });
      }
      if (input.place == 2) return positive_contents(contents, shape, dtype, seed);
      break;
    default:
      break;
  }
  return reals ? HostArray::random(shape, dtype, seed) : whole_numbers(shape, dtype, seed, 2);
}

}  // namespace kb::sw
