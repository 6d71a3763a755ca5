#include "sw/workloads/epilogue_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/bounded_math.h"

namespace kb::sw {
namespace {

using data::Bounded;

// Every number from a to b.
Bounded between(std::int64_t a, std::int64_t b) {
  const auto low = static_cast<double>(std::min(a, b)), high = static_cast<double>(std::max(a, b));
  return {low + (high - low) / 2, (high - low) / 2};
}

MathOp operation_of(const EpilogueText& text) {
  Epilogue epilogue;
  epilogue.op = text.op;
  epilogue.math = text.math;
  return math_op_of(epilogue);
}

double as_double(const Scalar& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

}  // namespace

EpilogueChain::EpilogueChain(const std::vector<EpilogueText>& chain, const Tensors& tensors, std::size_t n, bool wide)
    : n_(n), wide_(wide) {
  std::size_t next = 0;
  for (const EpilogueText& text : chain) {
    Step step{text, operation_of(text), {}};
    if (text.op == EpilogueOp::math) {
      for (const EpilogueArgument& argument : text.arguments) {
        if (!argument.number && next >= tensors.operands.size()) {
          throw Error::model("the reference of an epilogue has no operand");
        }
        step.inputs.push_back(argument.number ? Input{argument.number, {}, true, {}, {}}
                                              : tensor_input(*tensors.operands[next++]));
      }
    } else if (text.number) {
      step.inputs.push_back({text.number, {}, true, {}, {}});
    } else if (text.op == EpilogueOp::bias) {
      step.inputs.push_back(tensor_input(*tensors.bias));
    } else if (text.op == EpilogueOp::dequant) {
      Input scale = tensor_input(*tensors.scale);
      if (scale.shape[0] > 1) scale.shape.insert(scale.shape.begin() + 1, 1);  // one row per K tile
      step.inputs.push_back(std::move(scale));
    }
    steps_.push_back(std::move(step));
  }
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const Step& a, const Step& b) { return a.text.scope < b.text.scope; });
  while (rest_ < steps_.size() && steps_[rest_].text.scope == EpilogueScope::k_tile) ++rest_;
}

EpilogueChain::Input EpilogueChain::tensor_input(const HostArray& array) {
  Input input{std::nullopt, array.shape(), is_float(array.dtype()), {}, {}};
  if (input.floats) {
    input.values = array.to_doubles();
  } else {
    input.integers = array.to_integers();
  }
  return input;
}

void EpilogueChain::apply_to_tile(ReferenceProduct& x, std::size_t k_tile) const {
  for (std::size_t i = 0; i < rest_; ++i) apply(steps_[i], x, k_tile);
}

void EpilogueChain::apply_to_output(ReferenceProduct& x) const {
  for (std::size_t i = rest_; i < steps_.size(); ++i) apply(steps_[i], x, 0);
}

std::int64_t EpilogueChain::wrapped(std::uint64_t bits) const {
  return wide_ ? static_cast<std::int64_t>(bits) : static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

void EpilogueChain::apply(const Step& step, ReferenceProduct& x, std::size_t k_tile) const {
  if (step.text.op == EpilogueOp::dequant && !x.floats) {
    x.values = data::exact_matrix(x.integers.size() / n_, n_, {x.integers.begin(), x.integers.end()});
    for (std::size_t i = 0; i < x.others.size(); ++i) x.values.set(i, between(x.integers[i], x.others[i]));
    x.others.clear();
    data::round_to(Dtype::f32, x.values);
    x.floats = true;
  }
  if (step.op == MathOp::where) {
    apply_where(step, x, k_tile);
  } else if (x.floats) {
    apply_to_floats(step, x, k_tile);
  } else {
    apply_to_integers(step, x, k_tile);
  }
}

// Each step rounds once to f32; comparisons give integers.
void EpilogueChain::apply_to_floats(const Step& step, ReferenceProduct& x, std::size_t k_tile) const {
  const auto arity = static_cast<std::size_t>(math_arity(step.op)), place = static_cast<std::size_t>(step.text.place);
  const bool compares = math_form(step.op) == MathForm::comparison;
  std::vector<std::int64_t> truths;
  for (std::size_t i = 0; i < x.values.values.size(); ++i) {
    Bounded in[3];
    for (std::size_t input = 0, given = 0; input < arity; ++input) {
      in[input] = input == place ? x.values.at(i) : Bounded{value_of(step.inputs[given++], i, k_tile), 0};
    }
    if (!compares) {
      x.values.set(i, data::bounded_math(step.op, in[0], in[1], in[2]));
      continue;
    }
    const Bounded truth = data::bounded_comparison(step.op, in[0], in[1]);
    truths.push_back(truth.value == 1 ? 1 : 0);
    x.others.push_back(truth.error == 0 ? truths.back() : 1);
  }
  if (!compares) return;
  x.floats = false;
  x.values = {};
  x.integers = std::move(truths);
  if (x.others == x.integers) x.others.clear();
}

void EpilogueChain::apply_to_integers(const Step& step, ReferenceProduct& x, std::size_t k_tile) const {
  const auto arity = static_cast<std::size_t>(math_arity(step.op)), place = static_cast<std::size_t>(step.text.place);
  for (std::vector<std::int64_t>* values : {&x.integers, &x.others}) {
    for (std::size_t i = 0; i < values->size(); ++i) {
      std::int64_t in[3] = {};
      for (std::size_t input = 0, given = 0; input < arity; ++input) {
        in[input] = input == place ? (*values)[i] : whole_of(step.inputs[given++], i, k_tile);
      }
      (*values)[i] = wrapped(static_cast<std::uint64_t>(data::whole_math(step.op, in[0], in[1], in[2], bits())));
    }
  }
}

void EpilogueChain::apply_where(const Step& step, ReferenceProduct& x, std::size_t k_tile) const {
  const std::vector<Input>& inputs = step.inputs;
  const auto truth_of = [&](const Input& input, std::size_t i) {
    if (input.number) return as_double(*input.number);
    return input.floats ? value_of(input, i, k_tile) : static_cast<double>(whole_of(input, i, k_tile) != 0);
  };
  const std::size_t count = x.size();
  if (step.text.place != 0) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool takes_x = (truth_of(inputs[0], i) != 0) == (step.text.place == 1);
      if (takes_x) continue;
      if (x.floats) {
        x.values.set(i, {value_of(inputs[1], i, k_tile), 0});
      } else {
        x.integers[i] = wrapped(static_cast<std::uint64_t>(whole_of(inputs[1], i, k_tile)));
        if (!x.others.empty()) x.others[i] = x.integers[i];
      }
    }
    return;
  }
  const auto is_real = [](const Input& input) {
    return input.number ? std::holds_alternative<double>(*input.number) : input.floats;
  };
  const bool tensors = !inputs[0].number || !inputs[1].number;
  const Input& tensor = inputs[0].number ? inputs[1] : inputs[0];
  const bool floats = tensors ? tensor.floats : x.floats || is_real(inputs[0]) || is_real(inputs[1]);
  ReferenceProduct out;
  out.floats = floats;
  if (floats) out.values = data::exact_matrix(count / n_, n_, std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const Bounded condition =
        x.floats ? x.values.at(i) : between(x.integers[i], x.others.empty() ? x.integers[i] : x.others[i]);
    if (floats) {
      out.values.set(i, data::bounded_math(MathOp::where, condition, {value_of(inputs[0], i, k_tile), 0},
                                           {value_of(inputs[1], i, k_tile), 0}));
      continue;
    }
    const auto chosen = [&](std::size_t input) {
      return wrapped(static_cast<std::uint64_t>(whole_of(inputs[input], i, k_tile)));
    };
    const bool certain = condition.error == 0 || std::fabs(condition.value) > condition.error;
    out.integers.push_back(chosen(condition.value != 0 ? 0 : 1));
    out.others.push_back(certain ? out.integers.back() : chosen(1));
  }
  if (out.others == out.integers) out.others.clear();
  x = std::move(out);
}

// Index of the operand element for element `i` of the product; a scale with several rows has one row per K tile.
std::size_t EpilogueChain::place_of(const Input& input, std::size_t i, std::size_t k_tile) const {
  const std::size_t row = i / n_, column = i % n_;
  const auto rows = static_cast<std::size_t>(input.shape.size() > 1 ? input.shape[0] : 1);
  const auto columns = static_cast<std::size_t>(input.shape.back());
  const bool of_tiles = input.shape.size() > 2;
  return (of_tiles ? k_tile : rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column);
}

double EpilogueChain::value_of(const Input& input, std::size_t i, std::size_t k_tile) const {
  if (input.number) return data::nearest(Dtype::f32, as_double(*input.number));
  return input.values[place_of(input, i, k_tile)];
}

std::int64_t EpilogueChain::whole_of(const Input& input, std::size_t i, std::size_t k_tile) const {
  if (input.number) {
    const auto* const whole = std::get_if<std::int64_t>(&*input.number);
    return whole != nullptr ? *whole : static_cast<std::int64_t>(std::get<double>(*input.number));
  }
  return input.integers[place_of(input, i, k_tile)];
}

std::vector<std::string> EpilogueChain::roundings() const {
  std::vector<std::string> out;
  for (const Step& step : steps_) {
    if (step.text.op == EpilogueOp::relu) continue;
    out.push_back(fmt::format("{} in f32 (Higham 3.3)", epilogue_name(step.text)));
  }
  return out;
}

}  // namespace kb::sw
