#include <Eigen/Core>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/data/executor.h"

namespace kb::data {
namespace {

// Eigen blocks products by cache size; the host's real sizes would make the bits depend on the machine.
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
  if (op.a.transposed && op.b.transposed) {
    c.noalias() = sa.transpose() * sb.transpose();
  } else if (op.a.transposed) {
    c.noalias() = sa.transpose() * sb;
  } else if (op.b.transposed) {
    c.noalias() = sa * sb.transpose();
  } else {
    c.noalias() = sa * sb;
  }
}

}  // namespace

template <typename Wide, typename Acc>
void Executor::multiply(const GemmOp& op) {
  const auto load_as_stored = [&](const OperandRef& operand) {
    memory_.gather(operand.extents, bytes_);
    const std::size_t count = bytes_.size() / item_size(operand.dtype);
    std::vector<Wide> wide(count);
    widen(operand.dtype, bytes_.data(), count, wide.data());
    if constexpr (std::is_same_v<Wide, Acc>) {
      return wide;
    } else {
      return std::vector<Acc>(wide.begin(), wide.end());  // unsigned, so that sums wrap
    }
  };
  const std::vector<Acc> a = load_as_stored(op.a);
  const std::vector<Acc> b = load_as_stored(op.b);
  std::vector<Acc> c(static_cast<std::size_t>(element_count(op.out.shape)));
  if (!c.empty()) product(op, a, b, c);
  if constexpr (std::is_same_v<Wide, Acc>) {
    store(op.out, c);
  } else {
    std::vector<Wide> wide(c.size());
    for (std::size_t i = 0; i < c.size(); ++i) wide[i] = static_cast<std::make_signed_t<Acc>>(c[i]);
    store(op.out, wide);
  }
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
  const bool floats = is_float(op.a.dtype);
  if (floats ? op.acc_dtype != Dtype::f32 : op.acc_dtype != Dtype::i32 && op.acc_dtype != Dtype::i64) {
    throw Error::program("DTYPE_ERROR", "dot of " + std::string(dtype_name(op.a.dtype)) + " cannot accumulate in " +
                                            std::string(dtype_name(op.acc_dtype)) +
                                            "; floats accumulate in f32, integers in i32 or i64");
  }
  if (!op.epilogues.empty()) return multiply_with_epilogues(op);
  if (floats) {
    multiply<float, float>(op);
  } else if (op.acc_dtype == Dtype::i32) {
    multiply<std::int64_t, std::uint32_t>(op);
  } else {
    multiply<std::int64_t, std::uint64_t>(op);
  }
}

}  // namespace kb::data
