// Rules of results (P-40 façade, P-90) and the encoding of one element.
#include "platform/ops/op_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "platform/data/element.h"
#include "tests/unit/data/support.h"

namespace kb {
namespace {

using data::test::at;
using data::test::expect_error;

void fails(const std::function<void()>& action, const std::string& code, const std::vector<std::string>& parts) {
  expect_error(action, ErrorFamily::program, code, parts);
}

TEST(MathOp, NamesRoundTrip) {
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    EXPECT_EQ(parse_math_op(math_op_name(op)), op);
  }
  EXPECT_EQ(math_op_name(MathOp::softmax), "softmax");
  EXPECT_EQ(math_op_name(MathOp::shr_logical), "shr_logical");
  EXPECT_EQ(parse_math_op("tan"), std::nullopt);
}

TEST(MathResult, BroadcastsLikeNumPy) {
  const auto shape = [](const Shape& a, const Shape& b) {
    return math_result(MathOp::add, {at(0, a, Dtype::f16), at(0, b, Dtype::f16)}, {}).shape;
  };
  EXPECT_EQ(shape({4, 5}, {4, 5}), (Shape{4, 5}));
  EXPECT_EQ(shape({4, 1}, {5}), (Shape{4, 5}));
  EXPECT_EQ(shape({1}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(shape({2, 1, 3}, {7, 1}), (Shape{2, 7, 3}));
  EXPECT_EQ(shape({0, 3}, {1, 3}), (Shape{0, 3}));
  fails([&] { shape({4, 5}, {4, 4}); }, "SHAPE_ERROR", {"add(f16 (4, 5), f16 (4, 4))", "do not broadcast"});
}

TEST(MathResult, NumbersTakePart) {
  const auto x = at(0, {2, 2}, Dtype::i32);
  const auto r = math_result(MathOp::mul, {x, OperandRef::number(std::int64_t{3}, Dtype::i32)}, {});
  EXPECT_EQ(r.shape, (Shape{2, 2}));
  EXPECT_EQ(r.dtype, Dtype::i32);
  fails([&] { math_result(MathOp::mul, {x, OperandRef::number(0.5, Dtype::i32)}, {}); }, "DTYPE_ERROR", {"0.5"});
  const auto n = OperandRef::number(1.0, Dtype::f32);
  fails([&] { math_result(MathOp::add, {n, n}, {}); }, "SHAPE_ERROR", {"at least one input must be a tensor"});
}

TEST(MathResult, RefusesWrongDtypesAndCounts) {
  const auto i = at(0, {2}, Dtype::i32);
  const auto h = at(0, {2}, Dtype::f16);
  const auto f = at(0, {2}, Dtype::f32);
  const auto b = at(0, {2}, Dtype::bf16);
  fails([&] { math_result(MathOp::add, {h, b}, {}); }, "DTYPE_ERROR", {"add(f16 (2), bf16 (2))", "cast"});
  fails([&] { math_result(MathOp::add, {h}, {}); }, "SCHEMA_ERROR", {"takes 2 input(s), not 1"});
  for (MathOp op : {MathOp::exp, MathOp::log, MathOp::sqrt, MathOp::sigmoid, MathOp::cos, MathOp::sin, MathOp::softmax,
                    MathOp::rsqrt, MathOp::tanh, MathOp::erf, MathOp::gelu, MathOp::gelu_tanh, MathOp::silu,
                    MathOp::floor, MathOp::ceil, MathOp::round}) {
    fails([&] { math_result(op, {i}, {}); }, "DTYPE_ERROR",
          {std::string(math_op_name(op)) + "(i32 (2))", "f16, bf16 and f32"});
  }
  fails([&] { math_result(MathOp::bit_not, {f}, {}); }, "DTYPE_ERROR", {"bit_not(f32 (2))", "i8, i16, i32 and i64"});
  EXPECT_EQ(math_result(MathOp::where, {i, h, h}, {}).dtype, Dtype::f16);
  EXPECT_EQ(math_result(MathOp::where, {i, h, f}, {}).dtype, Dtype::f32);
  fails(
      [&] {
        math_result(MathOp::where, {i, h, b}, {});
      },
      "DTYPE_ERROR", {"where", "input 2 is f16 and input 3 is bf16; cast input 3 with tl.cast(x, Dtype::f16)"});
  fails([&] { math_result(MathOp::add, {f, i}, {}); }, "DTYPE_ERROR", {"cast input 2 with tl.cast(x, Dtype::f32)"});
}

TEST(MathResult, ReducedAxisBecomesOne) {
  const auto x = at(0, {2, 3, 4}, Dtype::f32);
  EXPECT_EQ(math_result(MathOp::sum, {x}, 1).shape, (Shape{2, 1, 4}));
  EXPECT_EQ(math_result(MathOp::max, {x}, -1).shape, (Shape{2, 3, 1}));
  EXPECT_EQ(math_result(MathOp::min, {x}, {}).shape, (Shape{1, 1, 1}));
  EXPECT_EQ(math_result(MathOp::softmax, {x}, {}).shape, x.shape);
  EXPECT_EQ(math_result(MathOp::sum, {x}, {}).dtype, Dtype::f32);
  EXPECT_EQ(math_result(MathOp::sum, {at(0, {2}, Dtype::i16)}, {}).dtype, Dtype::i32);
  EXPECT_EQ(math_result(MathOp::sum, {at(0, {2}, Dtype::i64)}, {}).dtype, Dtype::i64);
  EXPECT_EQ(math_result(MathOp::max, {at(0, {2}, Dtype::i16)}, {}).dtype, Dtype::i16);
  EXPECT_EQ(math_result(MathOp::sum, {at(0, {2}, Dtype::i16)}, {}, Dtype::i16).dtype, Dtype::i16);
  fails([&] { math_result(MathOp::softmax, {x}, {}, Dtype::f16); }, "DTYPE_ERROR", {"takes no out_dtype"});
  fails([&] { math_result(MathOp::sum, {x}, 3); }, "SHAPE_ERROR", {"axis 3 is outside -3 .. 2"});
  fails([&] { math_result(MathOp::exp, {x}, 0); }, "SHAPE_ERROR", {"takes no axis"});
  fails([&] { math_result(MathOp::max, {at(0, {0}, Dtype::f32)}, {}); }, "SHAPE_ERROR", {"empty"});
}

TEST(GemmResult, ShapesAndDtypes_P90) {
  const auto a = at(0, {2, 3}, Dtype::f16);
  const auto b = at(0, {3, 5}, Dtype::f16);
  EXPECT_EQ(gemm_result(a, b).shape, (Shape{2, 5}));
  EXPECT_EQ(gemm_result(a, b).dtype, Dtype::f32);
  EXPECT_EQ(gemm_result(a, b, Dtype::f16).dtype, Dtype::f16);
  for (const Dtype narrow : {Dtype::i8, Dtype::i16, Dtype::i32}) {
    EXPECT_EQ(gemm_result(at(0, {2, 3}, narrow), at(0, {3, 5}, narrow)).dtype, Dtype::i32);
  }
  EXPECT_EQ(gemm_result(at(0, {2, 3}, Dtype::i64), at(0, {3, 5}, Dtype::i64)).dtype, Dtype::i64);
  fails([&] { gemm_result(a, a); }, "SHAPE_ERROR", {"dot(f16 (2, 3), f16 (2, 3))", "inner dimensions 3 and 2"});
  fails(
      [&] {
        gemm_result(a, at(0, {3, 5}, Dtype::bf16));
      },
      "DTYPE_ERROR", {"the first is f16 and the second is bf16", "cast the second with tl.cast(x, Dtype::f16)"});
  EXPECT_EQ(gemm_result(at(0, {2, 3}, Dtype::f32), b).dtype, Dtype::f32);
  EXPECT_EQ(gemm_result(a, at(0, {3, 5}, Dtype::f32), Dtype::f16).dtype, Dtype::f16);
  fails(
      [&] {
        gemm_result(at(0, {2, 3}, Dtype::i32), at(0, {3, 5}, Dtype::i16));
      },
      "DTYPE_ERROR",
      {"dot(i32 (2, 3), i16 (3, 5))",
       "cast the second with tl.cast(x, Dtype::i32), or the first with tl.cast(x, Dtype::i16)"});
  fails([&] { gemm_result(a, b, Dtype::i32); }, "DTYPE_ERROR", {"cannot be i32"});
  fails([&] { gemm_result(at(0, {3}, Dtype::f16), b); }, "SHAPE_ERROR", {"two-dimensional"});
  EXPECT_EQ(default_acc_dtype(Dtype::bf16), Dtype::f32);
  EXPECT_EQ(default_acc_dtype(Dtype::i8), Dtype::i32);
  EXPECT_EQ(default_acc_dtype(Dtype::i64), Dtype::i64);
}

double decoded(Dtype dtype, std::uint32_t bits) {
  std::byte bytes[2];
  std::memcpy(bytes, &bits, 2);
  return decode_element(dtype, bytes);
}

// Two codecs: of one element, and of many.
TEST(Element, EveryHalfAgreesWithTheBulkConversion) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      std::byte bytes[2];
      std::memcpy(bytes, &bits, 2);
      const double value = decoded(dtype, i);
      float bulk;
      data::widen(dtype, bytes, 1, &bulk);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(bulk));
        continue;
      }
      ASSERT_EQ(value, static_cast<double>(bulk));
      ASSERT_EQ(encode_element(dtype, value), bits);
      // Just below, at and above the middle to the next value.
      for (float factor : {1.0f, 1.0f + 0x1p-11f, 1.0f + 0x1p-12f, 1.0f + 0x1p-8f, 1.0f + 0x1p-9f, 1.0f + 0x1.8p-9f}) {
        const float x = bulk * factor;
        std::uint16_t narrowed;
        std::byte out[2];
        data::narrow(dtype, &x, 1, out);
        std::memcpy(&narrowed, out, 2);
        ASSERT_EQ(encode_element(dtype, static_cast<double>(x)), narrowed) << x;
      }
    }
  }
}

TEST(Element, FloatsRoundOnceFromDouble) {
  // Halfway plus a little: through f32 it would round to the even neighbour 1.
  EXPECT_EQ(encode_element(Dtype::f16, 1.0 + 0x1p-11 + 0x1p-40), 0x3c01u);
  EXPECT_EQ(encode_element(Dtype::f16, 1.0 + 0x1p-11), 0x3c00u);
  EXPECT_EQ(encode_element(Dtype::f16, 65519.0), 0x7bffu);
  EXPECT_EQ(encode_element(Dtype::f16, 65520.0), 0x7c00u);
  EXPECT_EQ(encode_element(Dtype::f16, -0.0), 0x8000u);
  EXPECT_EQ(encode_element(Dtype::f16, 0x1p-24), 0x0001u);
  EXPECT_EQ(encode_element(Dtype::f16, 0x1p-25), 0x0000u);
  EXPECT_EQ(encode_element(Dtype::f32, 1.0), 0x3f800000u);
  EXPECT_EQ(encode_element(Dtype::f32, 1e300), 0x7f800000u);
  EXPECT_EQ(encode_element(Dtype::bf16, std::nan("")), 0x7fc0u);
  EXPECT_EQ(encode_element(Dtype::f16, -std::nan("")), 0xfe00u);
  EXPECT_EQ(encode_element(Dtype::bf16, 1e300), 0x7f80u);
  EXPECT_EQ(data::from_doubles(Dtype::f16, {1.0 + 0x1p-11 + 0x1p-40}), data::test::bytes_of({0x01, 0x3c}));
}

// Every place between two values at which a rounding could turn, and what is a double's last bits away from it.
TEST(Element, EveryMiddleBetweenHalvesRoundsOnce) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    for (std::uint32_t low = 0; std::isfinite(decoded(dtype, low + 1)); ++low) {
      const double middle = (decoded(dtype, low) + decoded(dtype, low + 1)) / 2;
      ASSERT_EQ(encode_element(dtype, middle), low + (low & 1)) << middle;
      ASSERT_EQ(encode_element(dtype, std::nextafter(middle, 0.0)), low) << middle;
      ASSERT_EQ(encode_element(dtype, -std::nextafter(middle, 2 * middle)), 0x8000u + low + 1) << middle;
    }
  }
}

TEST(Element, IntegersMustFit) {
  EXPECT_EQ(encode_element(Dtype::i8, -128.9), 0x80u);
  EXPECT_EQ(encode_element(Dtype::i16, -1.0), 0xffffu);
  EXPECT_EQ(encode_element(Dtype::i64, Scalar{std::int64_t{-9007199254740993}}),
            static_cast<std::uint64_t>(-9007199254740993));
  fails([] { encode_element(Dtype::i8, 128.0); }, "VALUE_ERROR", {"128 does not fit into i8"});
  fails([] { encode_element(Dtype::i32, Scalar{std::int64_t{9007199254740993}}); }, "VALUE_ERROR",
        {"9007199254740993 does not fit into i32"});
  fails([] { encode_element(Dtype::i64, 0x1p63); }, "VALUE_ERROR", {"i64"});
  fails([] { encode_element(Dtype::i32, std::nan("")); }, "VALUE_ERROR", {"i32"});
}

TEST(Operand, DescribesItself) {
  EXPECT_EQ(format_operand(at(0, {64, 32}, Dtype::f16, true)), "f16 (64, 32) transposed");
  EXPECT_EQ(format_operand(OperandRef::number(std::int64_t{3}, Dtype::i32)), "i32 number 3");
  EXPECT_EQ(at(0, {64, 32}, Dtype::f16).nbytes(), 4096u);
  EXPECT_EQ(total_bytes({{0, 3}, {9, 4}}), 7u);
}

}  // namespace
}  // namespace kb
