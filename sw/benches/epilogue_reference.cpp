#include "sw/benches/epilogue_reference.h"

#include <algorithm>
#include <cmath>

#include "platform/data/reference.h"
#include "sw/benches/support.h"

namespace kb::sw {
namespace {

struct Product {
  bool floats = true;
  std::vector<double> values, magnitudes;  // floats
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
      x.values.assign(x.integers.begin(), x.integers.end());
      x.magnitudes.clear();
      for (const double value : x.values) x.magnitudes.push_back(std::fabs(value));
      x.floats = true;
    }
    for (std::size_t i = 0; i < (x.floats ? x.values.size() : x.integers.size()); ++i) {
      if (x.floats) {
        apply_to_float(epilogue.op, operand(epilogue, k_tile, i % n_), x.values[i], x.magnitudes[i]);
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
    if (epilogue.number) return std::visit([](auto value) { return static_cast<double>(value); }, *epilogue.number);
    if (epilogue.op == EpilogueOp::bias) return bias_[column];
    if (epilogue.op == EpilogueOp::dequant) return scale_[scale_.size() > n_ ? k_tile * n_ + column : column];
    return 0;
  }
  // Of integer products, whose operands are integers: a number, or the bias.
  std::uint64_t whole_operand(const EpilogueText& epilogue, std::size_t column) const {
    if (epilogue.number) return static_cast<std::uint64_t>(std::get<std::int64_t>(*epilogue.number));
    return epilogue.op == EpilogueOp::bias ? static_cast<std::uint64_t>(whole_bias_[column]) : 0;
  }
  static void apply_to_float(EpilogueOp op, double y, double& value, double& magnitude) {
    if (op == EpilogueOp::bias) {
      value += y;
      magnitude += std::fabs(y);
    } else if (op == EpilogueOp::relu) {
      value = std::max(value, 0.0);
    } else {
      value *= y;
      magnitude *= std::fabs(y);
    }
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
    data::ReferenceGemm part = data::reference_gemm(columns(problem.a->to_doubles(), k, begin, end),
                                                    rows(problem.b->to_doubles(), n, begin, end), m, end - begin, n);
    out.values = std::move(part.values);
    out.magnitudes = std::move(part.sum_abs_terms);
  } else {
    out.integers = data::reference_gemm(columns(problem.a->to_integers(), k, begin, end),
                                        rows(problem.b->to_integers(), n, begin, end), m, end - begin, n);
    for (std::int64_t& value : out.integers) value = chain.wrapped(static_cast<std::uint64_t>(value));
  }
  return out;
}

void add(const Chain& chain, const Product& part, Product& sum) {
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    sum.values[i] += part.values[i];
    sum.magnitudes[i] += part.magnitudes[i];
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
  const double tiles = std::ceil(static_cast<double>(k) / static_cast<double>(step));
  const double roundings = static_cast<double>(k) + tiles + static_cast<double>(order.size());
  return {sum.floats, std::move(sum.integers), std::move(sum.values), std::move(sum.magnitudes), roundings};
}

void verify_epilogues(Runtime& runtime, BenchResult& result, const std::string& tensor, const EpilogueGemm& problem,
                      const HostArray& actual) {
  if (!runtime.computes_data()) return verify_exact(runtime, result, tensor, actual, actual);  // leaves the note
  const EpilogueResult expected = reference_of(problem);
  if (expected.floats) {
    verify_sums(runtime, result, tensor, actual, expected.values, expected.magnitudes, expected.acc_roundings);
  } else {
    verify_integers(runtime, result, tensor, actual, expected.integers);
  }
}

}  // namespace kb::sw
