// Definitions that kernels, engines and the data engine share: operands, the shape and dtype rules of results, and the
// encoding of one element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/ops/math_op.h"

namespace kb {

// A contiguous range of physical addresses; an address includes its owner (PE, cube) (P-77, P-78). In a command that
// has not been executed yet, `pa` may be a tagged address of another space.
struct Extent {
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  friend bool operator==(const Extent& a, const Extent& b) { return a.pa == b.pa && a.nbytes == b.nbytes; }
  friend bool operator!=(const Extent& a, const Extent& b) { return !(a == b); }
};
std::uint64_t total_bytes(const std::vector<Extent>& extents);

using Scalar = std::variant<std::int64_t, double>;

// A tensor or a literal number that an operation reads or writes.
struct OperandRef {
  std::vector<Extent> extents;  // bytes in row-major storage order; empty for a number
  Shape shape;                  // shape for the operation, i.e. after transposition
  Dtype dtype = Dtype::f16;
  bool transposed = false;          // stored with the last two dimensions of `shape` swapped (P-70)
  std::optional<Scalar> immediate;  // a literal number; `shape` is then () and `dtype` the dtype of its use

  static OperandRef tensor(std::vector<Extent> extents, Shape shape, Dtype dtype, bool transposed = false);
  static OperandRef number(Scalar value, Dtype dtype);
  std::uint64_t nbytes() const;  // computed from shape and dtype
};
std::string format_operand(const OperandRef& operand);  // "f16 (64, 32)", "i32 number 3"

struct TensorType {
  Dtype dtype = Dtype::f16;
  Shape shape;
};

// NumPy broadcasting: aligned at the last dimension, sizes equal or 1. Program Error SHAPE_ERROR that names `what`.
Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view what);
// Converts a possibly negative axis to 0 .. rank-1; program Error SHAPE_ERROR when it is outside -rank .. rank-1.
int normalize_axis(int axis, std::size_t rank, std::string_view what);

// Computation dtype of two operands: their common dtype, or f32 for f32 and a 16-bit float. Returns no value when one
// of them must be cast.
std::optional<Dtype> promoted(Dtype a, Dtype b);
// Result dtype of comparisons: integers as wide as the inputs, i32 for f32.
Dtype mask_dtype(Dtype compared);

// Type of the result of `op`; program Errors SHAPE_ERROR, DTYPE_ERROR and SCHEMA_ERROR (wrong number of inputs) name
// the operation and its inputs.
//   elementwise  Inputs have one dtype or are promoted() to it; the condition of `where` may have any.
//   comparison   The same, in mask_dtype().
//   others       Inputs have one dtype.
// Only `cast` accepts dtypes for storage; math_domain() tells which operations accept only floats or integers. `axis`
// applies to reductions, argmax and argmin (no value: all axes), softmax and cumsum (no value: the last) and concat (no
// value: the first); other operations must not have one. `cast` returns the input's type; the caller chooses the dtype
// of the output. For topk the type is that of the values; the positions are i32. `rand` has no type: f32 () is
// returned. sum and cumsum of i8 and i16 give i32, argmax and argmin give i32, other reductions keep the dtype of their
// input. `out` overrides this for has_out_dtype() operations: a float for floats, an integer for integers.
TensorType math_result(MathOp op, const std::vector<OperandRef>& inputs, std::optional<int> axis,
                       std::optional<Dtype> out = std::nullopt);
// Number of elements per pass that `op` is charged for: the largest of the inputs and the output; for topk, of k
// rounds.
std::int64_t math_elements(MathOp op, const std::vector<OperandRef>& inputs, const Shape& out);
// Number of times that the operation makes its passes: k for topk, otherwise 1.
std::int64_t math_rounds(MathOp op, const std::vector<OperandRef>& inputs);

// Dtype in which a collective transfers and sums contributions: their own, but i32 for an average ("avg") of narrower
// integers, because the sum may not fit.
Dtype combined_dtype(Dtype contribution, std::string_view op);

// f32 for floats, i64 for i64, i32 for the other integers (P-90).
Dtype default_acc_dtype(Dtype input);
// Dtype to which both operands of a product are converted, in either order; no value when one of them must be cast:
//   i4            x  i4             i8
//   i4            x  8-bit float    f16
//   i4            x  any other      the other
//   8-bit float   x  8-bit float    f16
//   8-bit float   x  f16 bf16 f32   the other
//   otherwise                       promoted()
std::optional<Dtype> product_dtype(Dtype a, Dtype b);
// Dtype in the name of an operation ("gemm_f16"): product_dtype() with i4, otherwise promoted(); `a` if there is none.
Dtype named_dtype(Dtype a, Dtype b);
// (m, k) x (k, n) -> (m, n) in `out` (no value: default_acc_dtype() of product_dtype()). Errors as above.
TensorType gemm_result(const OperandRef& a, const OperandRef& b, std::optional<Dtype> out = std::nullopt);

// Storage bits of one element, in the low item_size(dtype) bytes. Floats are rounded from double to nearest even;
// integers drop the fraction. Program Error VALUE_ERROR when the value does not fit or is not finite.
std::uint64_t encode_element(Dtype dtype, double value);
std::uint64_t encode_element(Dtype dtype, const Scalar& value);  // an integer is stored in i64 unchanged
bool fits(Dtype dtype, std::int64_t value);                      // dtype: i8, i16, i32 or i64
double decode_element(Dtype dtype, const std::byte* bytes);      // nearest double for i64

}  // namespace kb
