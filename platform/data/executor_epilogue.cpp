// Results of composites that have epilogues (P-13, P-14, P-18).
#include <Eigen/Core>
#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "platform/base/error.h"
#include "platform/data/executor.h"
#include "platform/data/integer_range.h"
#include "platform/data/math_kernels.h"

namespace kb::data {

// A product during the epilogues: integers of the accumulator until a dequant makes it floats.
struct Executor::Product {
  Shape shape;
  Dtype dtype = Dtype::f32;  // f32, i32 or i64
  std::vector<float> floats;
  std::vector<std::int64_t> integers;

  template <typename Wide>
  std::vector<Wide>& values() {
    if constexpr (std::is_same_v<Wide, float>) {
      return floats;
    } else {
      return integers;
    }
  }
  void make_floats() {
    if (dtype == Dtype::f32) return;
    floats.assign(integers.begin(), integers.end());
    integers.clear();
    dtype = Dtype::f32;
  }
  void make_integers(Dtype wide, std::vector<std::int64_t> values) {
    integers = std::move(values);
    floats.clear();
    dtype = wide;
  }
};

namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::int64_t wrapped(std::int64_t value, Dtype dtype) {
  return dtype == Dtype::i32 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value)) : value;
}

void wrap(std::vector<std::int64_t>& values, Dtype dtype) {
  for (std::int64_t& value : values) value = wrapped(value, dtype);
}

// a[:, begin .. end) x b[begin .. end, :], with a and b in the row-major order of their shapes.
std::vector<float> partial_product(const Shape& shape, const std::vector<float>& a, const std::vector<float>& b,
                                   std::int64_t k, std::int64_t begin, std::int64_t end) {
  std::vector<float> out(static_cast<std::size_t>(element_count(shape)));
  const Eigen::Map<const Matrix<float>> left(a.data(), shape[0], k), right(b.data(), k, shape[1]);
  Eigen::Map<Matrix<float>>(out.data(), shape[0], shape[1]).noalias() =
      left.middleCols(begin, end - begin) * right.middleRows(begin, end - begin);
  return out;
}
int bits_of(Dtype dtype) {
  return static_cast<int>(item_size(dtype)) * 8;
}

template <typename T>
std::vector<bool> truth(const std::vector<T>& values) {
  std::vector<bool> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i] != 0;
  return out;
}

template <typename T>
void choose(const std::vector<bool>& condition, std::vector<T>& taken, const std::vector<T>& other) {
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!condition[i]) taken[i] = other[i];
  }
}

// The slice for a K tile; operands of at most two dimensions are the same for all K tiles.
OperandRef slice_of(const OperandRef& operand, std::int64_t k_tile) {
  if (operand.shape.size() != 3) return operand;
  OperandRef slice = operand;
  slice.shape.erase(slice.shape.begin());
  slice.extents.clear();
  std::uint64_t skip = static_cast<std::uint64_t>(k_tile) * slice.nbytes();
  std::uint64_t left = slice.nbytes();
  for (const Extent& extent : operand.extents) {
    const std::uint64_t skipped = std::min(skip, extent.nbytes);
    const std::uint64_t taken = std::min(left, extent.nbytes - skipped);
    if (taken > 0) slice.extents.push_back({extent.pa + skipped, taken});
    skip -= skipped;
    left -= taken;
  }
  return slice;
}

}  // namespace

// x = op(x, operands) in f32 or the integers of the accumulator.
template <typename Wide>
void Executor::apply_elementwise(const Epilogue& epilogue, Product& x, std::int64_t k_tile) {
  const MathOp op = math_op_of(epilogue);
  const auto arity = static_cast<std::size_t>(math_arity(op)), place = static_cast<std::size_t>(epilogue.place);
  std::vector<Wide> in[3];
  for (std::size_t i = 0, given = 0; i < arity; ++i) {
    if (i == place) {
      in[i] = std::move(x.values<Wide>());
      continue;
    }
    OperandRef operand = slice_of(*epilogue.input(given++), k_tile);
    if (operand.immediate) operand.dtype = x.dtype;
    load(operand, x.shape, in[i]);
  }
  if (math_form(op) == MathForm::comparison) {
    std::vector<std::int64_t> truth;
    compare(op, in[0], in[1], truth);
    return x.make_integers(dtype_after(epilogue, x.dtype), std::move(truth));
  }
  std::vector<Wide>& result = x.values<Wide>();
  if constexpr (std::is_same_v<Wide, float>) {
    elementwise(op, in[0], in[1], in[2], result);
  } else {
    elementwise(op, in[0], in[1], in[2], result, bits_of(x.dtype));
    wrap(result, x.dtype);
  }
}

// The condition may have another dtype than the operands.
void Executor::apply_where(const Epilogue& epilogue, Product& x, std::int64_t k_tile) {
  const auto operand = [&](std::size_t input, Dtype number) {
    OperandRef of_tile = slice_of(*epilogue.input(input), k_tile);
    if (of_tile.immediate) of_tile.dtype = number;
    return of_tile;
  };
  const auto condition_of = [&](const OperandRef& from) {
    const auto loaded = [&](auto values) {
      load(from, x.shape, values);
      return truth(values);
    };
    return is_float(from.dtype) ? loaded(std::vector<float>()) : loaded(std::vector<std::int64_t>());
  };
  const Dtype dtype = dtype_after(epilogue, x.dtype);
  const auto run = [&](auto taken) {
    auto other = taken;
    if (epilogue.place == 0) {
      const std::vector<bool> condition = x.dtype == Dtype::f32 ? truth(x.floats) : truth(x.integers);
      load(operand(0, dtype), x.shape, taken);
      load(operand(1, dtype), x.shape, other);
      choose(condition, taken, other);
    } else {
      const bool real = epilogue.operand->immediate && std::holds_alternative<double>(*epilogue.operand->immediate);
      const std::vector<bool> condition = condition_of(operand(0, real ? Dtype::f32 : Dtype::i64));
      auto& own = x.values<typename decltype(taken)::value_type>();
      load(operand(1, dtype), x.shape, other);
      if (epilogue.place == 1) {
        choose(condition, own, other);
        taken = std::move(own);
      } else {
        choose(condition, other, own);
        taken = std::move(other);
      }
    }
    return taken;
  };
  if (dtype == Dtype::f32) {
    x.floats = run(std::vector<float>());
    x.integers.clear();
    x.dtype = dtype;
  } else {
    std::vector<std::int64_t> chosen = run(std::vector<std::int64_t>());
    wrap(chosen, dtype);
    x.make_integers(dtype, std::move(chosen));
  }
}

void Executor::apply(const Epilogue& epilogue, Product& x, std::int64_t k_tile) {
  if (epilogue.op == EpilogueOp::dequant) x.make_floats();
  if (math_op_of(epilogue) == MathOp::where) return apply_where(epilogue, x, k_tile);
  x.dtype == Dtype::f32 ? apply_elementwise<float>(epilogue, x, k_tile)
                        : apply_elementwise<std::int64_t>(epilogue, x, k_tile);
}

void Executor::multiply_with_epilogues(const GemmOp& op) {
  const std::vector<const Epilogue*> chain = in_firing_order(op.epilogues);
  const auto first_of_rest =
      std::find_if(chain.begin(), chain.end(), [](const Epilogue* e) { return e->scope != EpilogueScope::k_tile; });
  const bool per_tile = first_of_rest != chain.begin();
  if (per_tile && op.tile_k < 1) throw Error::model("data engine: a composite with k_tile epilogues has no tile depth");

  // Adds the next K tile to the sum.
  const auto accumulate = [](Product& sum, const Product& tile) {
    for (std::size_t i = 0; i < sum.floats.size(); ++i) sum.floats[i] += tile.floats[i];
    if (sum.dtype == Dtype::f32) return;
    std::vector<Int128> both(sum.integers.begin(), sum.integers.end());
    for (std::size_t i = 0; i < both.size(); ++i) both[i] += tile.integers[i];
    sum.integers = fitting("the accumulator of composite", sum.dtype, sum.shape, both, "accumulate in i64");
  };
  const auto run = [&](auto a, auto b) {
    load(op.a, op.a.shape, a);
    load(op.b, op.b.shape, b);
    const std::int64_t k = op.a.shape[1];
    const std::int64_t step = per_tile ? op.tile_k : std::max<std::int64_t>(k, 1);
    Product sum;
    for (std::int64_t begin = 0, tile = 0; begin < k || tile == 0; begin += step, ++tile) {
      const std::int64_t end = std::min<std::int64_t>(k, begin + step);
      Product partial{op.out.shape, op.acc_dtype, {}, {}};
      if constexpr (std::is_same_v<decltype(a), std::vector<float>>) {
        partial.floats = partial_product(op.out.shape, a, b, k, begin, end);
      } else {
        partial.integers = integer_product(op.out.shape, k, begin, end, a, b, {}, op.acc_dtype);
      }
      for (auto it = chain.begin(); it != first_of_rest; ++it) apply(**it, partial, tile);
      tile == 0 ? void(sum = std::move(partial)) : accumulate(sum, partial);
    }
    for (auto it = first_of_rest; it != chain.end(); ++it) apply(**it, sum, 0);
    sum.dtype == Dtype::f32 ? store(op.out, sum.floats) : store_product(op, sum.integers);
  };
  is_float(*product_dtype(op.a.dtype, op.b.dtype)) ? run(std::vector<float>(), std::vector<float>())
                                                   : run(std::vector<std::int64_t>(), std::vector<std::int64_t>());
}

// One element-wise operation or a cast, then the chain; each tile is the only one of its K loop.
void Executor::run_with_epilogues(const MathOpRecord& op) {
  const OperandRef& in = op.inputs.at(0);
  const TensorType result = composite_math_result(op.op, in, op.epilogues, op.out.dtype);
  if (result.shape != op.out.shape || op.out.transposed) {
    throw Error::program("SHAPE_ERROR", std::string(math_op_name(op.op)) + ": the result is " +
                                            format_shape(result.shape) + ", the output " + format_operand(op.out));
  }
  check_extents(op.out);
  Product x{as_rows(op.out.shape), default_acc_dtype(in.dtype), {}, {}};
  const auto run = [&](auto values) {
    load(in, in.shape, values);
    auto& to = x.values<typename decltype(values)::value_type>();
    if (op.op == MathOp::cast) {
      to = std::move(values);
    } else {
      elementwise(op.op, values, {}, {}, to);
    }
  };
  is_float(in.dtype) ? run(std::vector<float>()) : run(std::vector<std::int64_t>());
  wrap(x.integers, x.dtype);
  if (composite_math_dtype(op.op, in.dtype, op.out.dtype) == Dtype::f32) x.make_floats();
  for (const Epilogue* epilogue : in_firing_order(op.epilogues)) apply(*epilogue, x, 0);
  x.dtype == Dtype::f32 ? store(op.out, x.floats) : store(op.out, x.integers);
}

}  // namespace kb::data
