// Epilogues of composites: steps on their result before it is stored (P-12 .. P-18).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/ops/op_types.h"

namespace kb {

// P-14. x is the product so far, element by element; of a composite of one element-wise operation its result:
//   dequant  x * scale, as f32 whatever x was    bias   x + bias
//   relu     max(x, 0)                           scale  x * factor
//   math     any element-wise operation of PE_MATH (kb::MathOp) on x and up to two operands
enum class EpilogueOp : std::uint8_t { dequant, bias, relu, scale, math };

// When it fires (P-13): for every K tile, on its partial product before that is added to the accumulator; once per
// output tile, after the last K tile; once per command, in its very last tile. On the data the last two do the same.
enum class EpilogueScope : std::uint8_t { k_tile, output_tile, kernel };
std::string_view epilogue_scope_name(EpilogueScope scope);
std::optional<EpilogueScope> parse_epilogue_scope(std::string_view name);
std::vector<std::string> epilogue_scope_names();

// An operand is a number, or a tensor that broadcasts to the product (m, n). In scope k_tile it may have three
// dimensions (K tiles, m or 1, n or 1): one slice per K tile, as group-wise quantisation needs. It lies in the TCM, or
// in memory: then each tile in which the epilogue fires reads its part.
struct Epilogue {
  EpilogueOp op = EpilogueOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<OperandRef> operand{};  // the scale, bias or factor; of `math` the first input that is not the product
  MathOp math = MathOp::relu;           // of `math`
  std::optional<OperandRef> second{};   // of operations with three inputs
  int place = 0;                        // the product is this input of `math`, from 0
  std::array<bool, 2> in_memory{};      // operand, second
  std::array<bool, 2> strided{};        // those in memory: rows of a wider matrix

  const std::optional<OperandRef>& input(std::size_t i) const { return i == 0 ? operand : second; }
  std::optional<OperandRef>& input(std::size_t i) { return i == 0 ? operand : second; }
};
inline constexpr std::size_t kEpilogueInputs = 2;
std::string_view epilogue_name(const Epilogue& epilogue);  // "bias", "gelu"
// The operation of PE_MATH that it is.
MathOp math_op_of(const Epilogue& epilogue);

// Calls f(operand) for every operand of the chain, numbers included.
template <typename Epilogues, typename F>
void for_each_operand(Epilogues& epilogues, F&& f) {
  for (auto& epilogue : epilogues) {
    for (std::size_t i = 0; i < kEpilogueInputs; ++i) {
      if (epilogue.input(i)) f(*epilogue.input(i));
    }
  }
}

// A chain in words, as it is given on a command line: "bias,scale=0.5,gelu,mul=row:k_tile" is a list of
// <op>[=<operand>[/<operand>]][@<place>][:<scope>]. An operand is a number or the shape of a tensor: full (that of the
// result, the default), row, column. Of bias and dequant, whose tensor is a row, and scale it can only be a number.
// `place` counts from 1: sub=1@2 is 1 - x. "" and "none" mean that there is none. Program Error SCHEMA_ERROR names the
// part that is wrong and the known names.
enum class OperandSpread : std::uint8_t { full, row, column };
struct EpilogueArgument {
  std::optional<Scalar> number{};
  OperandSpread spread = OperandSpread::full;  // of a tensor
};
struct EpilogueText {
  EpilogueOp op = EpilogueOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<Scalar> number{};  // of bias, dequant and scale
  MathOp math = MathOp::relu;      // of `math`, whose operands follow
  std::vector<EpilogueArgument> arguments{};
  int place = 0;
};
std::vector<EpilogueText> parse_epilogues(std::string_view text);
std::string_view epilogue_name(const EpilogueText& epilogue);
std::size_t tensor_arguments(const EpilogueText& epilogue);  // how many operands of a `math` are tensors

// They run by scope, k_tile first and kernel last, and in their own order within a scope.
std::vector<const Epilogue*> in_firing_order(const std::vector<Epilogue>& epilogues);

// What the epilogue of that index computes in: the accumulator's dtype, f32 from a dequant on, integers from a
// comparison on.
Dtype epilogue_dtype(const std::vector<Epilogue>& epilogues, std::size_t index, Dtype acc);
// What the product is after the epilogue, which found it in dtype `before`: f32, i32 or i64.
Dtype dtype_after(const Epilogue& epilogue, Dtype before);

// Type of a composite's result in `out`: gemm_result()'s without epilogues; a chain with a dequant gives floats, one
// that ends in a comparison integers.
// Program Errors SHAPE_ERROR, DTYPE_ERROR, SCHEMA_ERROR (an operand that is missing or too much) name the epilogue.
TensorType composite_gemm_result(const OperandRef& a, const OperandRef& b, const std::vector<Epilogue>& epilogues,
                                 std::int64_t k_tiles, Dtype out);
// The same of one element-wise operation or a cast of x, taken as rows of its last dimension; without epilogues
// math_result()'s.
TensorType composite_math_result(MathOp op, const OperandRef& x, const std::vector<Epilogue>& epilogues, Dtype out);
// The dtype in which such an operation with epilogues gives its result to them.
Dtype composite_math_dtype(MathOp op, Dtype x, Dtype out);
// Rows of the last dimension: (m, n).
Shape as_rows(const Shape& shape);

}  // namespace kb
