#include <Eigen/Core>
#include <algorithm>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/data/executor.h"
#include "platform/data/integer_range.h"

namespace kb::data {
namespace {

// Eigen blocks products by cache size. With the real sizes of the host, the result bits would depend on the host.
void fix_blocking() {
  static const bool once = [] {
    constexpr std::ptrdiff_t kKiB = 1024;
    Eigen::setCpuCacheSizes(32 * kKiB, 256 * kKiB, 2048 * kKiB);
    Eigen::setNbThreads(1);
    return true;
  }();
  static_cast<void>(once);
}

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using ConstMap = Eigen::Map<const Matrix<T>>;

template <typename T>
ConstMap<T> stored(const OperandRef& operand, const std::vector<T>& values) {
  const Eigen::Index rows = operand.shape[0];
  const Eigen::Index cols = operand.shape[1];
  return operand.transposed ? ConstMap<T>(values.data(), cols, rows) : ConstMap<T>(values.data(), rows, cols);
}

template <typename T>
void product(const GemmOp& op, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& out) {
  Eigen::Map<Matrix<T>> c(out.data(), op.out.shape[0], op.out.shape[1]);
  const auto sa = stored(op.a, a);
  const auto sb = stored(op.b, b);
  const auto take = [&](const auto& product) {
    if (op.accumulate) {
      c.noalias() += product;
    } else {
      c.noalias() = product;
    }
  };
  if (op.a.transposed && op.b.transposed) {
    take(sa.transpose() * sb.transpose());
  } else if (op.a.transposed) {
    take(sa.transpose() * sb);
  } else if (op.b.transposed) {
    take(sa * sb.transpose());
  } else {
    take(sa * sb);
  }
}

}  // namespace

template <typename Acc>
std::uint64_t Executor::load_matrix(const OperandRef& operand, std::vector<Acc>& out) {
  const auto count = static_cast<std::size_t>(element_count(operand.shape));
  out.resize(count);
  if constexpr (std::is_same_v<Acc, float>) {
    if (operand.dtype == Dtype::f32) {
      memory_.gather(operand.extents, reinterpret_cast<std::byte*>(out.data()));
      return 0;
    }
    memory_.gather(operand.extents, bytes_);
    widen(operand.dtype, bytes_.data(), count, out.data());
    return 0;
  } else {
    memory_.gather(operand.extents, bytes_);
    std::vector<std::int64_t> wide(count);
    widen(operand.dtype, bytes_.data(), count, wide.data());
    std::copy(wide.begin(), wide.end(), out.begin());
    return largest_magnitude(wide);
  }
}

template <typename Acc>
void Executor::multiply(const GemmOp& op, Matrices<Acc>& use) {
  const std::uint64_t left = load_matrix(op.a, use.a), right = load_matrix(op.b, use.b);
  std::uint64_t added = 0;
  if (op.accumulate) {
    added = load_matrix(op.out, use.out);
  } else {
    use.out.resize(static_cast<std::size_t>(element_count(op.out.shape)));
  }
  if constexpr (!std::is_same_v<Acc, float>) {
    if (!sums_fit(op.acc_dtype, op.a.shape[1], left, right, added)) return multiply_exactly(op);
  }
  if (!use.out.empty()) product(op, use.a, use.b, use.out);
  if constexpr (std::is_same_v<Acc, float>) {
    store(op.out, use.out);
  } else {
    std::vector<std::int64_t> wide(use.out.size());
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = static_cast<std::make_signed_t<Acc>>(use.out[i]);
    store_product(op, wide);
  }
}

void Executor::store_product(const GemmOp& op, const std::vector<std::int64_t>& values) {
  store_fitting(op.composite ? "composite" : "dot", op.out, values, "give the result a dtype that holds it");
}

void Executor::multiply_exactly(const GemmOp& op) {
  std::vector<std::int64_t> a, b, added;
  load(op.a, op.a.shape, a);
  load(op.b, op.b.shape, b);
  if (op.accumulate) load(op.out, op.out.shape, added);
  const std::int64_t k = op.a.shape[1];
  store_product(op, integer_product(op.out.shape, k, 0, k, a, b, added, op.acc_dtype));
}

void Executor::run(const GemmOp& op) {
  fix_blocking();
  const std::int64_t k = op.a.shape.size() == 2 ? op.a.shape[1] : 0;
  const std::int64_t k_tiles = op.tile_k > 0 ? (k + op.tile_k - 1) / op.tile_k : 1;
  const TensorType result = composite_gemm_result(op.a, op.b, op.epilogues, k_tiles, op.out.dtype);
  if (result.shape != op.out.shape || op.out.transposed) {
    throw Error::program("SHAPE_ERROR",
                         "dot: the result is " + format_shape(result.shape) + ", the output " + format_operand(op.out));
  }
  for (const OperandRef* operand : {&op.a, &op.b, &op.out}) check_extents(*operand);
  const Dtype met = *product_dtype(op.a.dtype, op.b.dtype);
  const bool floats = is_float(met);
  if (floats ? op.acc_dtype != Dtype::f32 : op.acc_dtype != Dtype::i32 && op.acc_dtype != Dtype::i64) {
    throw Error::program("DTYPE_ERROR", "dot of " + std::string(dtype_name(met)) + " cannot accumulate in " +
                                            std::string(dtype_name(op.acc_dtype)) +
                                            "; floats accumulate in f32, integers in i32 or i64");
  }
  if (!op.epilogues.empty()) return multiply_with_epilogues(op);
  if (floats) {
    multiply(op, floats_);
  } else if (op.acc_dtype == Dtype::i32) {
    multiply(op, words_);
  } else {
    multiply(op, long_words_);
  }
}

}  // namespace kb::data
