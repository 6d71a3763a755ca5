#include "sw/workloads/epilogue_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/data/reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

struct Product {
  bool floats = true;
  BoundedMatrix values;  // floats
  std::vector<std::int64_t> integers;
};

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

class Chain {
 public:
  explicit Chain(const EpilogueGemm& problem)
      : wide_(problem.a->dtype() == Dtype::i64), n_(static_cast<std::size_t>(problem.b->shape()[1])) {
    if (problem.bias != nullptr) bias_ = problem.bias->to_doubles();
    if (problem.bias != nullptr && !is_float(problem.bias->dtype())) whole_bias_ = problem.bias->to_integers();
    if (problem.scale != nullptr) scale_ = problem.scale->to_doubles();
  }

  void apply(const EpilogueText& epilogue, Product& x, std::size_t k_tile) const {
    if (epilogue.op == EpilogueOp::dequant && !x.floats) {
      x.values = data::exact_matrix(x.integers.size() / n_, n_, {x.integers.begin(), x.integers.end()});
      data::round_to(Dtype::f32, x.values);
      x.floats = true;
    }
    for (std::size_t i = 0; i < (x.floats ? x.values.values.size() : x.integers.size()); ++i) {
      if (x.floats) {
        x.values.set(i, applied(epilogue.op, operand(epilogue, k_tile, i % n_), x.values.at(i)));
      } else {
        apply_to_integer(epilogue.op, whole_operand(epilogue, i % n_), x.integers[i]);
      }
    }
  }

  std::int64_t wrapped(std::uint64_t bits) const {
    return wide_ ? static_cast<std::int64_t>(bits) : static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }

 private:
  double operand(const EpilogueText& epilogue, std::size_t k_tile, std::size_t column) const {
    if (epilogue.number) {
      return data::nearest(Dtype::f32,
                           std::visit([](auto value) { return static_cast<double>(value); }, *epilogue.number));
    }
    if (epilogue.op == EpilogueOp::bias) return bias_[column];
    if (epilogue.op == EpilogueOp::dequant) return scale_[scale_.size() > n_ ? k_tile * n_ + column : column];
    return 0;
  }
  // The operand of integer products, which is an integer: a number, or the bias.
  std::uint64_t whole_operand(const EpilogueText& epilogue, std::size_t column) const {
    if (epilogue.number) return static_cast<std::uint64_t>(std::get<std::int64_t>(*epilogue.number));
    return epilogue.op == EpilogueOp::bias ? static_cast<std::uint64_t>(whole_bias_[column]) : 0;
  }
  // One rounding to f32, but for relu.
  static Bounded applied(EpilogueOp op, double y, Bounded x) {
    if (op == EpilogueOp::bias) return data::add(x, {y, 0});
    if (op == EpilogueOp::relu) return data::maximum(x, {0, 0});
    return data::multiply(x, {y, 0});
  }
  void apply_to_integer(EpilogueOp op, std::uint64_t y, std::int64_t& value) const {
    const auto bits = static_cast<std::uint64_t>(value);
    if (op == EpilogueOp::bias) {
      value = wrapped(bits + y);
    } else if (op == EpilogueOp::relu) {
      value = std::max<std::int64_t>(value, 0);
    } else {
      value = wrapped(bits * y);
    }
  }

  bool wide_;
  std::size_t n_;
  std::vector<double> bias_, scale_;
  std::vector<std::int64_t> whole_bias_;  // of an integer bias
};

Product multiply(const EpilogueGemm& problem, const Chain& chain, std::size_t begin, std::size_t end) {
  const auto m = static_cast<std::size_t>(problem.a->shape()[0]);
  const auto k = static_cast<std::size_t>(problem.a->shape()[1]);
  const auto n = static_cast<std::size_t>(problem.b->shape()[1]);
  Product out;
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

void add(const Chain& chain, const Product& part, Product& sum) {
  for (std::size_t i = 0; i < part.values.values.size(); ++i) {
    sum.values.set(i, data::add(sum.values.at(i), part.values.at(i)));
  }
  for (std::size_t i = 0; i < part.integers.size(); ++i) {
    sum.integers[i] =
        chain.wrapped(static_cast<std::uint64_t>(sum.integers[i]) + static_cast<std::uint64_t>(part.integers[i]));
  }
}

}  // namespace

std::vector<EpilogueText> firing_order(std::vector<EpilogueText> chain) {
  std::stable_sort(chain.begin(), chain.end(),
                   [](const EpilogueText& a, const EpilogueText& b) { return a.scope < b.scope; });
  return chain;
}

EpilogueResult reference_of(const EpilogueGemm& problem) {
  const std::vector<EpilogueText> order = firing_order(problem.chain);
  const auto rest =
      std::find_if(order.begin(), order.end(), [](const EpilogueText& e) { return e.scope != EpilogueScope::k_tile; });
  const auto k = static_cast<std::size_t>(problem.a->shape()[1]);
  const std::size_t step = rest == order.begin() ? k : static_cast<std::size_t>(problem.tile_k);
  const Chain chain(problem);
  Product sum;
  for (std::size_t begin = 0, tile = 0; begin < k; begin += step, ++tile) {
    Product part = multiply(problem, chain, begin, std::min(k, begin + step));
    for (auto it = order.begin(); it != rest; ++it) chain.apply(*it, part, tile);
    if (tile == 0) {
      sum = std::move(part);
    } else {
      add(chain, part, sum);
    }
  }
  for (auto it = rest; it != order.end(); ++it) chain.apply(*it, sum, 0);
  EpilogueResult result{sum.floats, std::move(sum.integers), std::move(sum.values), {}};
  result.roundings.push_back(
      product_rounding(fmt::format("sums of {} products", std::min(k, step)), static_cast<double>(std::min(k, step))));
  if (step < k) result.roundings.emplace_back("the sum of each K tile and those before it in f32 (Higham 3.3)");
  for (const EpilogueText& epilogue : order) {
    if (epilogue.op == EpilogueOp::relu) continue;
    result.roundings.push_back(fmt::format("{} in f32 (Higham 3.3)", epilogue_op_name(epilogue.op)));
  }
  return result;
}

data::VerificationRow epilogue_row(const std::string& tensor, const EpilogueGemm& problem, const HostArray& actual) {
  EpilogueResult expected = reference_of(problem);
  if (!expected.floats) return integers_row(tensor, actual, expected.integers);
  return bounded_row(tensor, actual, std::move(expected.values), std::move(expected.roundings));
}

void verify_epilogues(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const EpilogueGemm& problem,
                      const HostArray& actual) {
  if (can_verify(runtime, result)) result.verification.push_back(epilogue_row(tensor, problem, actual));
}

}  // namespace kb::sw
