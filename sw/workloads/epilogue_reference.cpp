#include "sw/workloads/epilogue_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/data/reference.h"
#include "sw/workloads/epilogue_chain.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::BoundedMatrix;

// Columns [begin, end) of a row-major matrix.
template <typename T>
std::vector<T> columns(const std::vector<T>& matrix, std::size_t width, std::size_t begin, std::size_t end) {
  std::vector<T> out;
  for (std::size_t row = 0; row < matrix.size() / width; ++row) {
    for (std::size_t j = begin; j < end; ++j) out.push_back(matrix[row * width + j]);
  }
  return out;
}
template <typename T>
std::vector<T> rows(const std::vector<T>& matrix, std::size_t width, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t row) { return matrix.begin() + static_cast<std::ptrdiff_t>(row * width); };
  return {at(begin), at(end)};
}

ReferenceProduct multiply(const EpilogueGemm& problem, const EpilogueChain& chain, std::size_t begin, std::size_t end) {
  const auto m = static_cast<std::size_t>(problem.a->shape()[0]);
  const auto k = static_cast<std::size_t>(problem.a->shape()[1]);
  const auto n = static_cast<std::size_t>(problem.b->shape()[1]);
  ReferenceProduct out;
  out.floats = is_float(problem.a->dtype());
  if (out.floats) {
    const BoundedMatrix a = data::exact_matrix(m, end - begin, columns(problem.a->to_doubles(), k, begin, end));
    const BoundedMatrix b = data::exact_matrix(end - begin, n, rows(problem.b->to_doubles(), n, begin, end));
    out.values = data::product(a, b);
  } else {
    out.integers = data::reference_gemm(columns(problem.a->to_integers(), k, begin, end),
                                        rows(problem.b->to_integers(), n, begin, end), m, end - begin, n);
    for (std::int64_t& value : out.integers) value = chain.wrapped(static_cast<std::uint64_t>(value));
  }
  return out;
}

void add(const EpilogueChain& chain, const ReferenceProduct& part, ReferenceProduct& sum) {
  for (std::size_t i = 0; i < part.values.values.size(); ++i) {
    sum.values.set(i, data::add(sum.values.at(i), part.values.at(i)));
  }
  const auto add_to = [&](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] = chain.wrapped(static_cast<std::uint64_t>(to[i]) + static_cast<std::uint64_t>(from[i]));
    }
  };
  if (sum.others.empty() && !part.others.empty()) sum.others = sum.integers;
  if (!sum.others.empty()) add_to(sum.others, part.others.empty() ? part.integers : part.others);
  add_to(sum.integers, part.integers);
}

EpilogueResult result_of(ReferenceProduct&& product, const EpilogueChain& chain, std::vector<std::string> roundings) {
  for (std::string& text : chain.roundings()) roundings.push_back(std::move(text));
  return {product.floats, std::move(product.integers), std::move(product.values), std::move(product.others),
          std::move(roundings)};
}

data::VerificationRow row_of(const std::string& tensor, EpilogueResult&& expected, const HostArray& actual) {
  if (expected.floats) return bounded_row(tensor, actual, std::move(expected.values), std::move(expected.roundings));
  if (!expected.others.empty()) {
    // Accepts any integer that rounding can produce.
    const std::vector<std::int64_t> found = actual.to_integers();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [low, high] = std::minmax(expected.integers[i], expected.others[i]);
      expected.integers[i] = std::clamp(found[i], low, high);
    }
  }
  return integers_row(tensor, actual, expected.integers);
}

}  // namespace

std::vector<EpilogueText> firing_order(std::vector<EpilogueText> chain) {
  std::stable_sort(chain.begin(), chain.end(),
                   [](const EpilogueText& a, const EpilogueText& b) { return a.scope < b.scope; });
  return chain;
}

EpilogueResult reference_of(const EpilogueGemm& problem) {
  const auto k = static_cast<std::size_t>(problem.a->shape()[1]);
  const EpilogueChain chain(problem.chain, {problem.bias, problem.scale, problem.operands},
                            static_cast<std::size_t>(problem.b->shape()[1]), problem.a->dtype() == Dtype::i64);
  const std::size_t step = chain.per_k_tile() ? static_cast<std::size_t>(problem.tile_k) : k;
  ReferenceProduct sum;
  for (std::size_t begin = 0, tile = 0; begin < k; begin += step, ++tile) {
    ReferenceProduct part = multiply(problem, chain, begin, std::min(k, begin + step));
    chain.apply_to_tile(part, tile);
    if (tile == 0) {
      sum = std::move(part);
    } else {
      add(chain, part, sum);
    }
  }
  chain.apply_to_output(sum);
  const std::size_t terms = std::min(k, step);
  std::vector<std::string> roundings{
      product_rounding(fmt::format("sums of {} products", terms), static_cast<double>(terms))};
  if (step < k) roundings.emplace_back("the sum of each K tile and those before it in f32 (Higham 3.3)");
  return result_of(std::move(sum), chain, std::move(roundings));
}

EpilogueResult reference_of(const EpilogueMath& problem) {
  const HostArray& x = *problem.x;
  // The operation is applied as the first step of the chain.
  EpilogueText first;
  first.op = EpilogueOp::math;
  first.math = problem.op;
  first.scope = EpilogueScope::k_tile;
  std::vector<EpilogueText> chain = problem.chain;
  if (problem.op != MathOp::cast) chain.insert(chain.begin(), first);
  const EpilogueChain steps(chain, {nullptr, nullptr, problem.operands}, static_cast<std::size_t>(x.shape()[1]),
                            x.dtype() == Dtype::i64);
  ReferenceProduct product;
  product.floats = is_float(x.dtype());
  if (product.floats) {
    product.values = exact_values(x);
  } else {
    product.integers = x.to_integers();
    if (problem.op == MathOp::cast && is_float(problem.out)) {
      product = {true, exact_values(x), {}, {}};
      data::round_to(Dtype::f32, product.values);
    }
  }
  steps.apply_to_tile(product, 0);
  steps.apply_to_output(product);
  return result_of(std::move(product), steps, {});
}

data::VerificationRow epilogue_row(const std::string& tensor, const EpilogueGemm& problem, const HostArray& actual) {
  return row_of(tensor, reference_of(problem), actual);
}

data::VerificationRow epilogue_row(const std::string& tensor, const EpilogueMath& problem, const HostArray& actual) {
  return row_of(tensor, reference_of(problem), actual);
}

template <typename Problem>
void verify_epilogues(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const Problem& problem,
                      const HostArray& actual) {
  if (can_verify(runtime, result)) result.verification.push_back(epilogue_row(tensor, problem, actual));
}
template void verify_epilogues(Runtime&, WorkloadResult&, const std::string&, const EpilogueGemm&, const HostArray&);
template void verify_epilogues(Runtime&, WorkloadResult&, const std::string&, const EpilogueMath&, const HostArray&);

}  // namespace kb::sw
