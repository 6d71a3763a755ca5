// Chains of epilogues in words, and what they make of a product (P-12 .. P-14).
#include "platform/ops/epilogue.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"

namespace kb {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  try {
    parse_epilogues(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "SCHEMA_ERROR");
    return error.what();
  }
  return "";
}

TEST(EpilogueText, NamesOperationsOperandsPlaceAndScope) {
  const std::vector<EpilogueText> chain =
      parse_epilogues("bias,relu:kernel,gelu,sub=1@2,mul=row:k_tile,fma=column/-0.5,add,scale=2");
  ASSERT_EQ(chain.size(), 8u);
  EXPECT_EQ(chain[0].op, EpilogueOp::bias);
  EXPECT_EQ(chain[1].op, EpilogueOp::relu);
  EXPECT_EQ(chain[1].scope, EpilogueScope::kernel);
  EXPECT_EQ(chain[2].math, MathOp::gelu);
  EXPECT_TRUE(chain[2].arguments.empty());
  EXPECT_EQ(chain[3].math, MathOp::sub);
  EXPECT_EQ(chain[3].place, 1);
  EXPECT_EQ(chain[3].arguments.at(0).number, Scalar(std::int64_t{1}));
  EXPECT_EQ(chain[4].scope, EpilogueScope::k_tile);
  EXPECT_EQ(chain[4].arguments.at(0).spread, OperandSpread::row);
  ASSERT_EQ(chain[5].arguments.size(), 2u);
  EXPECT_EQ(chain[5].arguments[0].spread, OperandSpread::column);
  EXPECT_EQ(chain[5].arguments[1].number, Scalar(-0.5));
  EXPECT_EQ(tensor_arguments(chain[5]), 1u);
  EXPECT_EQ(chain[6].arguments.at(0).spread, OperandSpread::full);
  EXPECT_EQ(epilogue_name(chain[6]), "add");
  EXPECT_EQ(chain[7].number, Scalar(std::int64_t{2}));
}

TEST(EpilogueText, TakesEveryElementWiseOperation) {
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    const std::string name(math_op_name(op));
    if (!is_elementwise(op)) {
      EXPECT_THAT(refusal(name), HasSubstr("no element-wise operation '" + name + "'"));
      continue;
    }
    const EpilogueText step = parse_epilogues(name).at(0);
    EXPECT_EQ(epilogue_name(step), name);
    if (op == MathOp::relu) continue;  // one of the four with a name of its own
    EXPECT_EQ(step.arguments.size(), static_cast<std::size_t>(math_arity(op) - 1)) << name;
  }
}

TEST(EpilogueText, MistakesNameTheStepAndWhatIsMeant) {
  EXPECT_THAT(refusal("relu,geluu"), HasSubstr("epilogue 'geluu': unknown operation 'geluu'; did you mean 'gelu'"));
  EXPECT_THAT(refusal("gelu:tile"), HasSubstr("unknown scope 'tile'"));
  EXPECT_THAT(refusal("mul=wide"), HasSubstr("'wide' is neither a number nor full, row or column"));
  EXPECT_THAT(refusal("mul=2/3"), HasSubstr("mul takes 1 operand beside the product, not 2"));
  EXPECT_THAT(refusal("gelu=2"), HasSubstr("gelu takes 0 operands beside the product, not 1"));
  EXPECT_THAT(refusal("sub=1@0"), HasSubstr("'@0' says which input of sub the product is; it has 1 to 2"));
  EXPECT_THAT(refusal("bias=row"), HasSubstr("'row' is not a number"));
  EXPECT_THAT(refusal("bias@2"), HasSubstr("it has 1 to 1"));
  EXPECT_THAT(refusal("=2"), HasSubstr("names no operation"));
}

Epilogue math(MathOp op, std::optional<OperandRef> operand = {}, std::optional<OperandRef> second = {}, int place = 0) {
  return {EpilogueOp::math, EpilogueScope::output_tile, std::move(operand), op, std::move(second), place};
}
const OperandRef kFloats = OperandRef::tensor({}, {1, 1}, Dtype::bf16);
const OperandRef kIntegers = OperandRef::tensor({}, {1, 1}, Dtype::i16);

TEST(EpilogueResult, ComparisonsAndChoicesChangeTheKindOfNumbers) {
  EXPECT_EQ(dtype_after(math(MathOp::gt, kFloats), Dtype::f32), Dtype::i32);
  EXPECT_EQ(dtype_after(math(MathOp::gt, kIntegers), Dtype::i64), Dtype::i64);
  EXPECT_EQ(dtype_after(math(MathOp::where, kFloats, kFloats), Dtype::i32), Dtype::f32);
  EXPECT_EQ(dtype_after(math(MathOp::where, kIntegers, kIntegers), Dtype::f32), Dtype::i32);
  EXPECT_EQ(dtype_after(math(MathOp::where, kIntegers, kFloats, 1), Dtype::f32), Dtype::f32);
  EXPECT_EQ(dtype_after({EpilogueOp::dequant}, Dtype::i64), Dtype::f32);
  const std::vector<Epilogue> chain{math(MathOp::gelu), math(MathOp::lt, kFloats), math(MathOp::neg)};
  EXPECT_EQ(epilogue_dtype(chain, 1, Dtype::f32), Dtype::f32);
  EXPECT_EQ(epilogue_dtype(chain, 2, Dtype::f32), Dtype::i32);
}

TEST(EpilogueResult, OfElementWiseComposites) {
  const OperandRef x = OperandRef::tensor({}, {2, 3, 5}, Dtype::f16);
  const TensorType result = composite_math_result(MathOp::gelu, x, {math(MathOp::gt, kFloats)}, Dtype::i8);
  EXPECT_EQ(result.shape, (Shape{2, 3, 5}));
  EXPECT_EQ(result.dtype, Dtype::i8);
  EXPECT_EQ(as_rows({2, 3, 5}), (Shape{6, 5}));
  EXPECT_EQ(as_rows({7}), (Shape{1, 7}));
  EXPECT_THROW(composite_math_result(MathOp::gelu, x, {math(MathOp::gt, kFloats)}, Dtype::f16), Error);
  EXPECT_THROW(composite_math_result(MathOp::cast, x, {math(MathOp::gt, kFloats)}, Dtype::i8), Error);
  EXPECT_THROW(composite_math_result(MathOp::abs, x, {math(MathOp::add, OperandRef::tensor({}, {2, 5}, Dtype::f16))},
                                     Dtype::f16),
               Error);
  composite_math_result(MathOp::abs, x, {math(MathOp::add, OperandRef::tensor({}, {6, 1}, Dtype::f16))}, Dtype::f16);
}

}  // namespace
}  // namespace kb
