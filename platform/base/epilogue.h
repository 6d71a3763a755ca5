// Epilogues of a composite GEMM: steps on its product before it is stored (P-12 .. P-18).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/op_types.h"

namespace kb {

// P-14. x is the product so far, element by element:
//   dequant  x * scale, as f32 whatever x was    bias   x + bias
//   relu     max(x, 0)                           scale  x * factor
enum class EpilogueOp : std::uint8_t { dequant, bias, relu, scale };
std::string_view epilogue_op_name(EpilogueOp op);
std::optional<EpilogueOp> parse_epilogue_op(std::string_view name);
std::vector<std::string> epilogue_op_names();
// The operation of PE_MATH that it costs.
MathOp math_op_of(EpilogueOp op);

// When it fires (P-13): for every K tile, on its partial product before that is added to the accumulator; once per
// output tile, after the last K tile; once per command, in its very last tile. On the data the last two do the same.
enum class EpilogueScope : std::uint8_t { k_tile, output_tile, kernel };
std::string_view epilogue_scope_name(EpilogueScope scope);
std::optional<EpilogueScope> parse_epilogue_scope(std::string_view name);
std::vector<std::string> epilogue_scope_names();

// `operand` is the scale, bias or factor: a number, or a tensor that broadcasts to the product (m, n). In scope k_tile
// it may have three dimensions (K tiles, m or 1, n or 1): one slice per K tile, as group-wise quantisation needs.
// Absent for relu.
struct Epilogue {
  EpilogueOp op = EpilogueOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<OperandRef> operand;
};

// A chain in words, as it is given on a command line: "bias,scale=0.5,relu:k_tile" is a list of
// <op>[=<number>][:<scope>].
// "" and "none" mean that there is none. Program Error SCHEMA_ERROR names the part that is wrong and the known names.
struct EpilogueText {
  EpilogueOp op = EpilogueOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<Scalar> number;
};
std::vector<EpilogueText> parse_epilogues(std::string_view text);

// They run by scope, k_tile first and kernel last, and in their own order within a scope.
std::vector<const Epilogue*> in_firing_order(const std::vector<Epilogue>& epilogues);

// What the epilogue of that index computes in: the accumulator's dtype, f32 from a dequant on.
Dtype epilogue_dtype(const std::vector<Epilogue>& epilogues, std::size_t index, Dtype acc);

// Type of a composite's result in `out`: gemm_result()'s without epilogues; a chain with a dequant gives floats.
// Program Errors SHAPE_ERROR, DTYPE_ERROR, SCHEMA_ERROR (an operand that is missing or too much) name the epilogue.
TensorType composite_gemm_result(const OperandRef& a, const OperandRef& b, const std::vector<Epilogue>& epilogues,
                                 std::int64_t k_tiles, Dtype out);

}  // namespace kb
