// Epilogues of composites: operations on the result before it is stored (P-12 .. P-18).
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

// Operation of an epilogue (P-14). x is an element of the product so far, or of the result of an element-wise
// composite:
//   dequant  x * scale, as f32 whatever x was    bias   x + bias
//   relu     max(x, 0)                           scale  x * factor
//   math     any element-wise operation of PE_MATH (kb::MathOp) on x and up to two operands
enum class EpilogueOp : std::uint8_t { dequant, bias, relu, scale, math };

// When the epilogue is applied (P-13). k_tile: to the partial product of every K tile before it is accumulated.
// output_tile: once per output tile, after the last K tile. kernel: once per command, in its very last tile.
// output_tile and kernel compute the same data.
enum class EpilogueScope : std::uint8_t { k_tile, output_tile, kernel };
std::string_view epilogue_scope_name(EpilogueScope scope);
std::optional<EpilogueScope> parse_epilogue_scope(std::string_view name);
std::vector<std::string> epilogue_scope_names();

// An operand is a number, or a tensor that broadcasts to the product (m, n). In scope k_tile it may have three
// dimensions (K tiles, m or 1, n or 1): one slice per K tile, as in group-wise quantisation. It lies in the TCM, or in
// memory; in memory, each tile that applies the epilogue reads its part.
struct Epilogue {
  EpilogueOp op = EpilogueOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<OperandRef> operand{};  // the scale, bias or factor; for `math` the first input except the product
  MathOp math = MathOp::relu;           // operation of `math`
  std::optional<OperandRef> second{};   // third input of operations with three inputs
  int place = 0;                        // input position of the product in `math`, from 0
  std::array<bool, 2> in_memory{};      // for `operand` and `second`
  std::array<bool, 2> strided{};        // operands in memory: rows of a wider matrix

  const std::optional<OperandRef>& input(std::size_t i) const { return i == 0 ? operand : second; }
  std::optional<OperandRef>& input(std::size_t i) { return i == 0 ? operand : second; }
};
inline constexpr std::size_t kEpilogueInputs = 2;
std::string_view epilogue_name(const Epilogue& epilogue);  // "bias", "gelu"
// The operation of PE_MATH that the epilogue executes.
MathOp math_op_of(const Epilogue& epilogue);

// Calls f(operand) for every operand of the chain, including numbers.
template <typename Epilogues, typename F>
void for_each_operand(Epilogues& epilogues, F&& f) {
  for (auto& epilogue : epilogues) {
    for (std::size_t i = 0; i < kEpilogueInputs; ++i) {
      if (epilogue.input(i)) f(*epilogue.input(i));
    }
  }
}

// Textual form of a chain, for the command line: "bias,scale=0.5,gelu,mul=row:k_tile" is a list of
// <op>[=<operand>[/<operand>]][@<place>][:<scope>]. An operand is a number or the shape of a tensor: full (that of the
// result, the default), row, column. The operand of bias and dequant (whose tensor is a row) and of scale can only be a
// number. `place` counts from 1: sub=1@2 is 1 - x. "" and "none" are the empty chain. Program Error SCHEMA_ERROR names
// the wrong part and the known names.
enum class OperandSpread : std::uint8_t { full, row, column };
struct EpilogueArgument {
  std::optional<Scalar> number{};
  OperandSpread spread = OperandSpread::full;  // shape of a tensor operand
};
struct EpilogueText {
  EpilogueOp op = EpilogueOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<Scalar> number{};  // operand of bias, dequant and scale
  MathOp math = MathOp::relu;      // operation of `math`; its operands follow
  std::vector<EpilogueArgument> arguments{};
  int place = 0;
};
std::vector<EpilogueText> parse_epilogues(std::string_view text);
std::string_view epilogue_name(const EpilogueText& epilogue);
std::size_t tensor_arguments(const EpilogueText& epilogue);  // number of tensor operands of a `math`

// Epilogues in the order of execution: by scope, k_tile first and kernel last, and in list order within a scope.
std::vector<const Epilogue*> in_firing_order(const std::vector<Epilogue>& epilogues);

// Computation dtype of the epilogue with this index: the accumulator's dtype, f32 from a dequant on, integers from a
// comparison on.
Dtype epilogue_dtype(const std::vector<Epilogue>& epilogues, std::size_t index, Dtype acc);
// Dtype of the product after the epilogue when it was `before`: f32, i32 or i64.
Dtype dtype_after(const Epilogue& epilogue, Dtype before);

// Type of a composite's result in `out`: that of gemm_result() without epilogues; a chain with a dequant gives floats,
// one that ends in a comparison gives integers. Program Errors SHAPE_ERROR, DTYPE_ERROR, SCHEMA_ERROR (a missing or
// superfluous operand) name the epilogue.
TensorType composite_gemm_result(const OperandRef& a, const OperandRef& b, const std::vector<Epilogue>& epilogues,
                                 std::int64_t k_tiles, Dtype out);
// The same for one element-wise operation or a cast of x, whose rows are its last dimension; without epilogues that of
// math_result().
TensorType composite_math_result(MathOp op, const OperandRef& x, const std::vector<Epilogue>& epilogues, Dtype out);
// Dtype in which such an operation passes its result to the epilogues.
Dtype composite_math_dtype(MathOp op, Dtype x, Dtype out);
// The shape as (m, n), where n is the last dimension.
Shape as_rows(const Shape& shape);

}  // namespace kb
