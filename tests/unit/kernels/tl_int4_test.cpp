// i8 tensors as operands of products with two integers of 4 bits in a byte: what takes them, and what they give (P-90).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernels/tl/tl.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using Values = std::vector<double>;

// Pairs of -8 .. 7 as bytes, the first in the lower half.
Values packed(const Values& values) {
  Values bytes;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const int low = static_cast<int>(values[i]) & 15, high = static_cast<int>(values[i + 1]) & 15;
    bytes.push_back(static_cast<signed char>(low | high << 4));
  }
  return bytes;
}

Values product(const Values& a, const Values& b, std::size_t m, std::size_t k, std::size_t n) {
  Values out(m * n, 0.0);
  for (std::size_t i = 0; i < m * n; ++i) {
    for (std::size_t p = 0; p < k; ++p) out[i] += a[i / n * k + p] * b[p * n + i % n];
  }
  return out;
}

Values transposed(const Values& x, std::size_t rows, std::size_t columns) {
  Values out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i % columns * rows + i / columns] = x[i];
  return out;
}

struct TlInt4 : ::testing::Test {
  Device device;
  FunctionalPe pe{tl::RecordingPe::default_info(), device.recorder};
  Context tl{pe, "demo"};
  const Values values{1, -8, 7, 0, -1, 3, 2, -5, 4, 6, -3, 5};  // (3, 4)
  LayoutPtr w = whole("w", Dtype::i8, {3, 2}, 0x4000000);
  void SetUp() override { device.write(*w, packed(values)); }
};

TEST_F(TlInt4, IsTheSameBytesWithTwiceAsManyElements) {
  const TensorHandle bytes = tl.load(Ptr(*w), {3, 2});
  const TensorHandle x = tl.int4(bytes), columns = tl.int4(tl.trans(bytes));
  EXPECT_EQ(x.dtype(), Dtype::i4);
  EXPECT_EQ(x.shape(), (Shape{3, 4}));
  EXPECT_EQ(x.nbytes(), 6u);
  EXPECT_EQ(x.address(), bytes.address());
  EXPECT_EQ(x.to_doubles(), values);
  EXPECT_EQ(x.read<int>()[1], -8);
  EXPECT_EQ(x.to_doubles(), tl.unpack_int4(bytes).to_doubles());
  EXPECT_EQ(columns.shape(), (Shape{4, 3}));
  EXPECT_EQ(columns.to_doubles(), transposed(values, 3, 4));
  EXPECT_EQ(tl.trans(x).to_doubles(), columns.to_doubles());
}

TEST_F(TlInt4, DotTakesItBesideAnyDtype) {
  const TensorHandle x = tl.int4(tl.load(Ptr(*w), {3, 2})), y = tl.trans(x);
  const Values square = product(values, transposed(values, 3, 4), 3, 4, 3);
  for (const Dtype other : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i32}) {
    const TensorHandle left = tl.cast(tl.unpack_int4(tl.load(Ptr(*w), {3, 2})), other);
    const Dtype wide = is_float(other) ? Dtype::f32 : Dtype::i32;
    EXPECT_EQ(tl.dot(left, y).dtype(), wide);
    EXPECT_EQ(tl.dot(left, y).to_doubles(), square) << dtype_name(other);
    EXPECT_EQ(tl.dot(tl.trans(y), tl.trans(left), wide).to_doubles(), square) << dtype_name(other);
  }
  EXPECT_EQ(tl.dot(x, y, Dtype::i32).to_doubles(), square);
  EXPECT_EQ(tl.dot(x, y).dtype(), Dtype::i32);
  EXPECT_EQ(tl.dot(tl.full({1, 3}, 1.0, Dtype::e4m3), x).dtype(), Dtype::f32);
  expect_program_error([&] { tl.dot(x, y, Dtype::f32); }, "DTYPE_ERROR", {"cannot be f32", "integers stay integers"});
  expect_program_error([&] { tl.dot(x, y, Dtype::i4); }, "DTYPE_ERROR", {"cannot be i4", "tl.pack_int4"});
}

TEST_F(TlInt4, EverythingElseRefusesIt) {
  const TensorHandle bytes = tl.load(Ptr(*w), {3, 2}), x = tl.int4(bytes);
  const std::vector<std::string> advice{"i4 is for dot and composites", "tl.unpack_int4"};
  expect_program_error([&] { x + 1; }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.cast(x, Dtype::f16); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.sum(x); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.concat({x, x}); }, "DTYPE_ERROR", advice);
  const std::vector<std::string> no_tensor{"two elements of i4 share a byte", "tl.int4(x)"};
  expect_program_error([&] { tl.zeros({2, 2}, Dtype::i4); }, "DTYPE_ERROR", no_tensor);
  expect_program_error([&] { tl.load(Ptr(*w), {3, 2}, Dtype::i4); }, "DTYPE_ERROR", {"'w'", "i8", "i4"});
  expect_program_error([&] { tl.view(x, 2, {2, 2}); }, "DTYPE_ERROR", no_tensor);
  expect_program_error([&] { tl.store(Ptr(*w), x); }, "DTYPE_ERROR", {"i4", "store the i8 tensor that holds it"});
  expect_program_error([&] { tl.int4(x); }, "DTYPE_ERROR", {"does not hold bytes; give it i8"});
  expect_program_error([&] { tl.int4(tl.zeros({2, 2}, Dtype::i16)); }, "DTYPE_ERROR", {"tl.int4", "i16"});
  expect_program_error([&] { tl.int4(tl.zeros({2}, Dtype::i8)); }, "SHAPE_ERROR", {"is not a matrix"});
}

TEST(TlInt4Calls, MistakesAreFoundAtTheCallWithoutData) {
  tl::RecordingPe pe;
  Context tl{pe, "demo"};
  const TensorHandle x = tl.int4(tl.zeros({2, 2}, Dtype::i8)), out = tl.zeros({2, 4});
  expect_program_error([&] { tl.cast(x, Dtype::f16); }, "DTYPE_ERROR", {"kernel demo, tl.cast", "tl.unpack_int4"});
  expect_program_error([&] { tl.assign(out, x); }, "DTYPE_ERROR", {"kernel demo, tl.assign", "tl.unpack_int4"});
  expect_program_error([&] { tl.assign(x, out); }, "DTYPE_ERROR", {"kernel demo, tl.assign", "tl.pack_int4"});
  expect_program_error([&] { tl.composite(MathOp::cast, out, x); }, "DTYPE_ERROR", {"tl.composite", "tl.pack_int4"});
  expect_program_error([&] { tl.zeros({2, 2}, Dtype::i4); }, "DTYPE_ERROR", {"kernel demo, tl.zeros"});
}

TEST_F(TlInt4, TilesOfACompositeEndAtWholeBytes) {
  const LayoutPtr a = whole("a", Dtype::f16, {2, 3}, 0x5000000), out = whole("out", Dtype::f32, {2, 4}, 0x6000000);
  device.write(*a, {1, 2, 3, 4, 5, 6});
  tl::CompositeOptions options;
  options.tile_shape = {1, 2, 3};
  const auto multiply = [&] {
    tl.wait(tl.composite(tl.ref(Ptr(*a), {2, 3}), tl.int4(tl.ref(Ptr(*w), {3, 2})), Ptr(*out), options));
  };
  expect_program_error(multiply, "SHAPE_ERROR", {"tl.composite", "the tile size of N is 3; it must be even", "i4"});
  options.tile_shape = {1, 1, 2};
  multiply();
  EXPECT_EQ(device.read(*out), product({1, 2, 3, 4, 5, 6}, values, 2, 3, 4));
}

// Any part of a wider matrix, either operand, either way round, with factors of groups of rows.
RC_GTEST_PROP(TlInt4Property, ACompositeEqualsLoops, ()) {
  const auto size = [](int limit) { return static_cast<std::size_t>(*rc::gen::inRange(1, limit)); };
  const auto some = [](std::size_t count, int low, int high) {
    Values values(count);
    for (double& value : values) value = *rc::gen::inRange(low, high);
    return values;
  };
  const bool in_columns = *rc::gen::arbitrary<bool>(), left = *rc::gen::arbitrary<bool>();
  const bool pinned = *rc::gen::arbitrary<bool>();
  // int4 is the matrix x of (rows, 2 * pairs), a part of one with `more` more bytes in a row; it is used as it lies or
  // transposed, as the left operand or the right one.
  const std::size_t rows = size(12), pairs = size(8), more = size(4) - 1, other_size = size(10), group = size(4);
  const Values x = some(rows * 2 * pairs, -8, 8);
  Values wide;
  for (std::size_t r = 0; r < rows; ++r) {
    const Values row = packed({x.begin() + static_cast<std::ptrdiff_t>(r * 2 * pairs),
                               x.begin() + static_cast<std::ptrdiff_t>((r + 1) * 2 * pairs)});
    wide.insert(wide.end(), row.begin(), row.end());
    wide.insert(wide.end(), more, 99.0);
  }
  const auto whole_size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const std::size_t x_rows = in_columns ? 2 * pairs : rows, x_columns = in_columns ? rows : 2 * pairs;
  const std::size_t m = left ? x_rows : other_size, k = left ? x_columns : x_rows, n = left ? other_size : x_columns;
  const Values seen = in_columns ? transposed(x, rows, 2 * pairs) : x;
  const Values other = some(left ? k * n : m * k, -4, 5);
  const std::size_t tile_k = 2 * group, groups = (k + tile_k - 1) / tile_k;
  const Values factors = some(groups * n, 1, 4);

  Device device;
  FunctionalPe pe{tl::RecordingPe::default_info(), device.recorder};
  Context tl{pe, "demo"};
  const LayoutPtr w = whole("w", Dtype::i8, {whole_size(rows), whole_size(pairs + more)}, 0x4000000);
  const Shape other_shape = left ? Shape{whole_size(k), whole_size(n)} : Shape{whole_size(m), whole_size(k)};
  const LayoutPtr o = whole("o", Dtype::f16, other_shape, 0x5000000);
  const LayoutPtr f = whole("f", Dtype::f32, {whole_size(groups), 1, whole_size(n)}, 0x6000000);
  const LayoutPtr y = whole("y", Dtype::f32, {whole_size(m), whole_size(n)}, 0x7000000);
  device.write(*w, wide);
  device.write(*o, other);
  device.write(*f, factors);
  tl::CompositeOptions options;
  options.tile_shape = {2 * whole_size(size(4)), whole_size(tile_k), 2 * whole_size(size(4))};
  options.epilogue = {
      tl::Epilogue::dequant(tl.load(Ptr(*f), {whole_size(groups), 1, whole_size(n)}), EpilogueScope::k_tile)};
  const Shape part{whole_size(rows), whole_size(pairs)};
  const TensorHandle stored = tl.int4(pinned ? tl.load(Ptr(*w), part, std::nullopt, whole_size(pairs + more))
                                             : tl.ref(Ptr(*w), part, std::nullopt, whole_size(pairs + more)));
  const TensorHandle weights = in_columns ? tl.trans(stored) : stored, dense = tl.ref(Ptr(*o), other_shape);
  tl.wait(left ? tl.composite(weights, dense, Ptr(*y), options) : tl.composite(dense, weights, Ptr(*y), options));
  Values expected(m * n, 0.0);
  const Values& a = left ? seen : other;
  const Values& b = left ? other : seen;
  for (std::size_t i = 0; i < m * n; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      expected[i] += a[i / n * k + p] * b[p * n + i % n] * factors[p / tile_k * n + i % n];
    }
  }
  RC_ASSERT(device.read(*y) == expected);
}

}  // namespace
}  // namespace kb::tests
