// What kernels, engines and the data engine share about operations: operands, operators, the shape and dtype rules of
// results, and the encoding of one element.
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

// A run of bytes in the physical address space; the owner (PE, cube) is part of the address (P-77, P-78). In a command
// that a PE has not executed yet, `pa` may be a tagged address of another space.
struct Extent {
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  friend bool operator==(const Extent& a, const Extent& b) { return a.pa == b.pa && a.nbytes == b.nbytes; }
  friend bool operator!=(const Extent& a, const Extent& b) { return !(a == b); }
};
std::uint64_t total_bytes(const std::vector<Extent>& extents);

using Scalar = std::variant<std::int64_t, double>;

// A tensor, or a number written in the kernel, that an operation reads or writes.
struct OperandRef {
  std::vector<Extent> extents;  // the bytes in row-major storage order; empty for a number
  Shape shape;                  // as the operation sees it, i.e. after transposition
  Dtype dtype = Dtype::f16;
  bool transposed = false;          // stored with the last two dimensions of `shape` swapped (P-70)
  std::optional<Scalar> immediate;  // the number; `shape` is then () and `dtype` the one it is used in

  static OperandRef tensor(std::vector<Extent> extents, Shape shape, Dtype dtype, bool transposed = false);
  static OperandRef number(Scalar value, Dtype dtype);
  std::uint64_t nbytes() const;  // by shape and dtype
};
std::string format_operand(const OperandRef& operand);  // "f16 (64, 32)", "i32 number 3"

struct TensorType {
  Dtype dtype = Dtype::f16;
  Shape shape;
};

// NumPy rules: aligned at the last dimension, sizes equal or 1. Program Error SHAPE_ERROR naming `what`.
Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view what);
// 0 .. rank-1 from a possibly negative axis; program Error SHAPE_ERROR when outside -rank .. rank-1.
int normalize_axis(int axis, std::size_t rank, std::string_view what);

// The dtype that two operands of one operation are computed in: theirs, or f32 of f32 and a 16-bit float. Returns no
// value when one of them must be cast.
std::optional<Dtype> promoted(Dtype a, Dtype b);
// What comparisons give: integers as wide as the inputs, i32 for f32.
Dtype mask_dtype(Dtype compared);

// Type of the result of `op`; program Errors SHAPE_ERROR, DTYPE_ERROR and SCHEMA_ERROR (wrong number of inputs) name
// the operation and its inputs.
//   elementwise  Inputs have one dtype or are promoted() to it; the condition of `where` may have any.
//   comparison   The same, in mask_dtype().
//   others       Inputs have one dtype.
// Dtypes for storage are for `cast` alone. math_domain() says which operations are for floats or integers alone. `axis`
// counts for reductions, argmax and argmin (absent: all axes), softmax and cumsum (absent: the last) and concat
// (absent: the first); elsewhere it must be absent. `cast` returns the input's type; the caller chooses the dtype of
// the output. For topk it is that of the values; the positions are i32. `rand` has no type of its own: f32 ().
// sum and cumsum of i8 and i16 give i32, argmax and argmin i32, other reductions the dtype of their input; `out` is
// another choice of has_out_dtype() operations, a float for floats and an integer for integers.
TensorType math_result(MathOp op, const std::vector<OperandRef>& inputs, std::optional<int> axis,
                       std::optional<Dtype> out = std::nullopt);
// Elements that `op` is charged for per pass: the largest of the inputs and the output, of topk those of k rounds.
std::int64_t math_elements(MathOp op, const std::vector<OperandRef>& inputs, const Shape& out);
// How often it makes its passes: topk k times, others once.
std::int64_t math_rounds(MathOp op, const std::vector<OperandRef>& inputs);

// The dtype in which a collective adds up contributions and in which they travel: their own, i32 for an average ("avg")
// of narrower integers, whose sum need not fit.
Dtype combined_dtype(Dtype contribution, std::string_view op);

// f32 for floats, i64 for i64, i32 for the other integers (P-90).
Dtype default_acc_dtype(Dtype input);
// The dtype that two operands of a product are converted to, in either order; nothing when one of them must be cast:
//   i4            x  i4             i8
//   i4            x  8-bit float    f16
//   i4            x  any other      the other
//   8-bit float   x  8-bit float    f16
//   8-bit float   x  f16 bf16 f32   the other
//   otherwise                       promoted()
std::optional<Dtype> product_dtype(Dtype a, Dtype b);
// The dtype in the name of an operation ("gemm_f16"): product_dtype() with i4, else promoted(); `a` if there is none.
Dtype named_dtype(Dtype a, Dtype b);
// (m, k) x (k, n) -> (m, n) in `out` (absent: default_acc_dtype() of product_dtype()). Errors as above.
TensorType gemm_result(const OperandRef& a, const OperandRef& b, std::optional<Dtype> out = std::nullopt);

// One element as it is stored, in the low item_size(dtype) bytes. Floats round to nearest even from the double itself;
// integers drop the fraction, program Error VALUE_ERROR when the value does not fit or is not finite.
std::uint64_t encode_element(Dtype dtype, double value);
std::uint64_t encode_element(Dtype dtype, const Scalar& value);  // an integer goes into i64 unchanged
bool fits(Dtype dtype, std::int64_t value);                      // dtype: i8, i16, i32 or i64
double decode_element(Dtype dtype, const std::byte* bytes);      // nearest double for i64

}  // namespace kb
