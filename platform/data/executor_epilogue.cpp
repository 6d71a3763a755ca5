// Products of composites that have epilogues (P-13, P-14, P-18).
#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/executor.h"
#include "platform/data/integer_range.h"
#include "platform/data/math_kernels.h"

namespace kb::data {
namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A product on its way through the epilogues: integers of the accumulator until a dequant makes it floats.
struct Product {
  Shape shape;
  Dtype dtype = Dtype::f32;  // f32, i32 or i64
  std::vector<float> floats;
  std::vector<std::int64_t> integers;
};

std::int64_t wrapped(std::int64_t value, Dtype dtype) {
  return dtype == Dtype::i32 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value)) : value;
}

// a[:, begin .. end) x b[begin .. end, :], with a and b in the row-major order of their shapes.
Product partial_product(const Shape& shape, Dtype dtype, const std::vector<float>& a, const std::vector<float>& b,
                        std::int64_t k, std::int64_t begin, std::int64_t end) {
  Product out{shape, dtype, std::vector<float>(static_cast<std::size_t>(element_count(shape))), {}};
  const Eigen::Map<const Matrix<float>> left(a.data(), shape[0], k), right(b.data(), k, shape[1]);
  Eigen::Map<Matrix<float>>(out.floats.data(), shape[0], shape[1]).noalias() =
      left.middleCols(begin, end - begin) * right.middleRows(begin, end - begin);
  return out;
}
Product partial_product(const Shape& shape, Dtype dtype, const std::vector<std::int64_t>& a,
                        const std::vector<std::int64_t>& b, std::int64_t k, std::int64_t begin, std::int64_t end) {
  return {shape, dtype, {}, integer_product(shape, k, begin, end, a, b, {}, dtype)};
}

// x = op(x, y), with y in the dtype of x.
void combine(MathOp op, Product& x, const std::vector<float>& y, const std::vector<std::int64_t>& whole_y) {
  if (x.dtype == Dtype::f32) {
    std::vector<float> result;
    elementwise(op, x.floats, y, {}, result);
    x.floats = std::move(result);
  } else {
    std::vector<std::int64_t> result;
    elementwise(op, x.integers, whole_y, {}, result);
    for (std::int64_t& value : result) value = wrapped(value, x.dtype);
    x.integers = std::move(result);
  }
}

// The sum of the K tiles so far and that of the next one.
void accumulate(Product& sum, const Product& tile) {
  if (sum.dtype == Dtype::f32) return combine(MathOp::add, sum, tile.floats, {});
  std::vector<Int128> both(sum.integers.begin(), sum.integers.end());
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += tile.integers[i];
  sum.integers = fitting("the accumulator of composite", sum.dtype, sum.shape, both, "accumulate in i64");
}

void make_floats(Product& x) {
  if (x.dtype == Dtype::f32) return;
  x.floats.assign(x.integers.begin(), x.integers.end());
  x.integers.clear();
  x.dtype = Dtype::f32;
}

// The slice of a K tile; operands of at most two dimensions are the same for all.
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

void Executor::multiply_with_epilogues(const GemmOp& op) {
  const std::vector<const Epilogue*> chain = in_firing_order(op.epilogues);
  const auto first_of_rest =
      std::find_if(chain.begin(), chain.end(), [](const Epilogue* e) { return e->scope != EpilogueScope::k_tile; });
  const bool per_tile = first_of_rest != chain.begin();
  if (per_tile && op.tile_k < 1) throw Error::model("data engine: a composite with k_tile epilogues has no tile depth");

  std::vector<float> values;
  std::vector<std::int64_t> numbers;
  const auto apply = [&](const Epilogue& epilogue, Product& x, std::int64_t k_tile) {
    if (epilogue.op == EpilogueOp::dequant) make_floats(x);
    if (epilogue.operand) {
      OperandRef operand = slice_of(*epilogue.operand, k_tile);
      if (operand.immediate) operand.dtype = x.dtype;
      x.dtype == Dtype::f32 ? load(operand, x.shape, values) : load(operand, x.shape, numbers);
    }
    combine(math_op_of(epilogue.op), x, values, numbers);
  };

  const auto run = [&](auto a, auto b) {
    load(op.a, op.a.shape, a);
    load(op.b, op.b.shape, b);
    const std::int64_t k = op.a.shape[1];
    const std::int64_t step = per_tile ? op.tile_k : std::max<std::int64_t>(k, 1);
    Product sum;
    for (std::int64_t begin = 0, tile = 0; begin < k || tile == 0; begin += step, ++tile) {
      Product partial =
          partial_product(op.out.shape, op.acc_dtype, a, b, k, begin, std::min<std::int64_t>(k, begin + step));
      for (auto it = chain.begin(); it != first_of_rest; ++it) apply(**it, partial, tile);
      tile == 0 ? void(sum = std::move(partial)) : accumulate(sum, partial);
    }
    for (auto it = first_of_rest; it != chain.end(); ++it) apply(**it, sum, 0);
    sum.dtype == Dtype::f32 ? store(op.out, sum.floats) : store_product(op, sum.integers);
  };
  is_float(*product_dtype(op.a.dtype, op.b.dtype)) ? run(std::vector<float>(), std::vector<float>())
                                                   : run(std::vector<std::int64_t>(), std::vector<std::int64_t>());
}

}  // namespace kb::data
