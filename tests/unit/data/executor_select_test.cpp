// cumsum, argmax, argmin, topk, concat, int4 in bytes and rand against plain loops (P-90).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "platform/data/executor.h"
#include "platform/data/philox.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::expect_error;
using test::get;
using test::put;
using test::record;
using Values = std::vector<double>;
using Index = std::vector<std::int64_t>;

constexpr std::uint64_t kX = 0x10000, kOut = 0x400000, kPositions = 0x500000;

struct Machine {
  MemoryStore memory;
  Executor executor{memory};
  void run(MathOpRecord op) { executor.execute(record(std::move(op))); }
};

// All places of a tensor, in row-major order.
std::vector<Index> places(const Shape& shape) {
  std::vector<Index> out{{}};
  for (const std::int64_t size : shape) {
    std::vector<Index> longer;
    for (const Index& index : out) {
      for (std::int64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    out = std::move(longer);
  }
  return out;
}
std::size_t offset(const Shape& shape, const Index& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return static_cast<std::size_t>(at);
}

Shape some_shape(std::size_t most_dimensions = 4) {
  Shape shape;
  const auto rank = *rc::gen::inRange<std::size_t>(1, most_dimensions + 1);
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange<std::int64_t>(1, 7));
  return shape;
}
Dtype some_dtype() {
  return *rc::gen::elementOf(std::vector<Dtype>(std::begin(test::kAllDtypes), std::end(test::kAllDtypes)));
}
int some_axis(const Shape& shape) {
  const int rank = static_cast<int>(shape.size());
  return *rc::gen::inRange(-rank, rank);
}
Values some_values(const Shape& shape) {  // many equal ones
  return random_small_integers(*rc::gen::inRange<std::uint64_t>(0, 1u << 20),
                               static_cast<std::size_t>(element_count(shape)));
}
std::size_t counted(int axis, const Shape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
}

RC_GTEST_PROP(ExecutorSelect, CumsumAddsAllBefore, ()) {
  const Shape shape = some_shape();
  const Dtype dtype = some_dtype();
  const int axis = some_axis(shape);
  const std::size_t along = counted(axis, shape);
  const Values values = some_values(shape);
  Machine m;
  put(m.memory, at(kX, shape, dtype), values);
  m.run({MathOp::cumsum, {at(kX, shape, dtype)}, at(kOut, shape, dtype), axis});
  Values wanted;
  for (const Index& index : places(shape)) {
    double sum = 0;
    for (Index before = index; before[along] >= 0; --before[along]) sum += values[offset(shape, before)];
    wanted.push_back(sum);
  }
  RC_ASSERT(get(m.memory, at(kOut, shape, dtype)) == wanted);
}

TEST(ExecutorSelect, CumsumAddsInF32AndRoundsOnce) {
  Machine m;
  const OperandRef x = at(kX, {4}, Dtype::f16), out = at(kOut, {4}, Dtype::f16);
  put(m.memory, x, {2048, 1, 1, 1});  // 2049 and 2051 are no f16 numbers
  m.run({MathOp::cumsum, {x}, out, {}});
  EXPECT_EQ(get(m.memory, out), (Values{2048, 2048, 2050, 2052}));
  put(m.memory, at(kX, {3}, Dtype::i8), {100, 100, 100});
  m.run({MathOp::cumsum, {at(kX, {3}, Dtype::i8)}, at(kOut, {3}, Dtype::i32), {}});
  EXPECT_EQ(get(m.memory, at(kOut, {3}, Dtype::i32)), (Values{100, 200, 300}));
}

RC_GTEST_PROP(ExecutorSelect, ArgmaxFindsTheFirst, ()) {
  const Shape shape = some_shape();
  const Dtype dtype = some_dtype();
  const bool whole = *rc::gen::arbitrary<bool>();
  const std::optional<int> axis = whole ? std::nullopt : std::optional<int>(some_axis(shape));
  const bool largest = *rc::gen::arbitrary<bool>();
  const MathOp op = largest ? MathOp::argmax : MathOp::argmin;
  const Values values = some_values(shape);
  Machine m;
  const OperandRef x = at(kX, shape, dtype);
  put(m.memory, x, values);
  const TensorType type = math_result(op, {x}, axis);
  RC_ASSERT(type.dtype == Dtype::i32);
  m.run({op, {x}, at(kOut, type.shape, Dtype::i32), axis});
  const Values got = get(m.memory, at(kOut, type.shape, Dtype::i32));
  const auto better = [&](double a, double b) { return largest ? a > b : a < b; };
  std::size_t next = 0;
  for (Index index : places(type.shape)) {
    std::int64_t best = 0;
    if (whole) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (better(values[i], values[static_cast<std::size_t>(best)])) best = static_cast<std::int64_t>(i);
      }
    } else {
      const std::size_t along = counted(*axis, shape);
      const auto value = [&](std::int64_t i) {
        index[along] = i;
        return values[offset(shape, index)];
      };
      for (std::int64_t i = 0; i < shape[along]; ++i) {
        if (better(value(i), value(best))) best = i;
      }
    }
    RC_ASSERT(got[next++] == static_cast<double>(best));
  }
}

RC_GTEST_PROP(ExecutorSelect, TopkSortsTheLastAxis, ()) {
  const Shape shape = some_shape();
  const Dtype dtype = some_dtype();
  const auto k = *rc::gen::inRange<std::int64_t>(1, shape.back() + 1);
  const Values values = some_values(shape);
  Machine m;
  const OperandRef x = at(kX, shape, dtype);
  put(m.memory, x, values);
  MathOpRecord op{MathOp::topk, {x, OperandRef::number(k, Dtype::i32)}, {}, {}};
  const TensorType type = math_result(op.op, op.inputs, {});
  op.out = at(kOut, type.shape, dtype);
  op.positions = at(kPositions, type.shape, Dtype::i32);
  m.run(op);
  Values wanted, wanted_places;
  const auto length = static_cast<std::size_t>(shape.back());
  for (std::size_t row = 0; row < values.size(); row += length) {
    std::vector<std::pair<double, double>> all;  // smallest first is largest value first, then first place
    for (std::size_t i = 0; i < length; ++i) all.emplace_back(-values[row + i], i);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      wanted.push_back(-all[i].first);
      wanted_places.push_back(all[i].second);
    }
  }
  RC_ASSERT(get(m.memory, op.out) == wanted);
  RC_ASSERT(get(m.memory, *op.positions) == wanted_places);
}

TEST(ExecutorSelect, NansComeFirst) {
  Machine m;
  const OperandRef x = at(kX, {4}, Dtype::f32);
  put(m.memory, x, {1, std::nan(""), HUGE_VAL, std::nan("")});
  for (const MathOp op : {MathOp::argmax, MathOp::argmin}) {
    m.run({op, {x}, at(kOut, {1}, Dtype::i32), 0});
    EXPECT_EQ(get(m.memory, at(kOut, {1}, Dtype::i32)), Values{1}) << math_op_name(op);
  }
  m.run({MathOp::topk,
         {x, OperandRef::number(std::int64_t{4}, Dtype::i32)},
         at(kOut, {4}, Dtype::f32),
         {},
         false,
         at(kPositions, {4}, Dtype::i32)});
  EXPECT_EQ(get(m.memory, at(kPositions, {4}, Dtype::i32)), (Values{1, 3, 2, 0}));
}

RC_GTEST_PROP(ExecutorSelect, ConcatPutsPartsSideBySide, ()) {
  const Shape first = some_shape(3);
  const Dtype dtype = some_dtype();
  const int axis = some_axis(first);
  const std::size_t along = counted(axis, first);
  Machine m;
  std::vector<OperandRef> parts;
  std::vector<Values> values;
  const auto count = *rc::gen::inRange<std::size_t>(1, 5);
  for (std::size_t i = 0; i < count; ++i) {
    Shape shape = first;
    shape[along] = *rc::gen::inRange<std::int64_t>(1, 5);
    parts.push_back(at(kX + 0x10000 * i, shape, dtype));
    values.push_back(some_values(shape));
    put(m.memory, parts.back(), values.back());
  }
  const TensorType type = math_result(MathOp::concat, parts, axis);
  m.run({MathOp::concat, parts, at(kOut, type.shape, dtype), axis});
  const Values got = get(m.memory, at(kOut, type.shape, dtype));
  std::size_t next = 0;
  for (Index index : places(type.shape)) {
    std::size_t part = 0;
    while (index[along] >= parts[part].shape[along]) index[along] -= parts[part++].shape[along];
    RC_ASSERT(got[next++] == values[part][offset(parts[part].shape, index)]);
  }
}

RC_GTEST_PROP(ExecutorSelect, Int4LiesTwoInAByte, ()) {
  Shape halves = some_shape(3);
  const Shape bytes = halves;
  halves.back() *= 2;
  Values values;
  for (std::int64_t i = 0; i < element_count(halves); ++i) values.push_back(*rc::gen::inRange(-128, 128));
  Machine m;
  put(m.memory, at(kX, halves, Dtype::i8), values);
  m.run({MathOp::pack_int4, {at(kX, halves, Dtype::i8)}, at(kOut, bytes, Dtype::i8), {}});
  const Values packed = get(m.memory, at(kOut, bytes, Dtype::i8));
  m.run({MathOp::unpack_int4, {at(kOut, bytes, Dtype::i8)}, at(kPositions, halves, Dtype::i8), {}});
  const Values unpacked = get(m.memory, at(kPositions, halves, Dtype::i8));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double saturated = std::min(7.0, std::max(-8.0, values[i]));
    RC_ASSERT(unpacked[i] == saturated);
    const auto byte = static_cast<unsigned char>(static_cast<signed char>(packed[i / 2]));
    const int half = i % 2 == 0 ? byte % 16 : byte / 16;  // the first in the lower half
    RC_ASSERT((half >= 8 ? half - 16 : half) == static_cast<int>(saturated));
  }
}

TEST(ExecutorSelect, TypesAndMistakes) {
  const OperandRef x = at(kX, {2, 5}, Dtype::f16);
  const auto k = [](std::int64_t n) { return OperandRef::number(n, Dtype::i32); };
  const auto fails = [](MathOp op, std::vector<OperandRef> in, std::optional<int> axis, const std::string& code,
                        const std::vector<std::string>& parts) {
    expect_error([&] { math_result(op, in, axis); }, ErrorFamily::program, code, parts);
  };
  EXPECT_EQ(math_result(MathOp::topk, {x, k(3)}, {}).shape, (Shape{2, 3}));
  EXPECT_EQ(math_result(MathOp::argmin, {x}, 0).shape, (Shape{1, 5}));
  EXPECT_EQ(math_result(MathOp::concat, {x, at(kX, {3, 5}, Dtype::f16)}, 0).shape, (Shape{5, 5}));
  fails(MathOp::topk, {x, k(0)}, {}, "SHAPE_ERROR", {"topk(f16 (2, 5), i32 number 0)", "k is 0", "1 to 5"});
  fails(MathOp::topk, {x, k(6)}, {}, "SHAPE_ERROR", {"k is 6"});
  fails(MathOp::topk, {x, k(1)}, 0, "SHAPE_ERROR", {"takes no axis"});
  fails(MathOp::cumsum, {x}, 2, "SHAPE_ERROR", {"axis 2 is outside -2 .. 1"});
  fails(MathOp::argmax, {at(kX, {0}, Dtype::f16)}, {}, "SHAPE_ERROR", {"empty"});
  fails(MathOp::concat, {}, 0, "SCHEMA_ERROR", {"at least one"});
  fails(MathOp::concat, {x, at(kX, {2, 4}, Dtype::f16)}, 0, "SHAPE_ERROR",
        {"inputs 1 and 2 may differ along axis 0 only"});
  fails(MathOp::concat, {x, at(kX, {2, 5}, Dtype::f32)}, 0, "DTYPE_ERROR", {"input 2 is f32"});
  fails(MathOp::concat, {x, k(1)}, 0, "SHAPE_ERROR", {"takes tensors, not numbers"});
  const auto bytes = [](Shape shape) { return at(kX, std::move(shape), Dtype::i8); };
  EXPECT_EQ(math_result(MathOp::unpack_int4, {bytes({2, 3})}, {}).shape, (Shape{2, 6}));
  EXPECT_EQ(math_result(MathOp::pack_int4, {bytes({2, 6})}, {}).shape, (Shape{2, 3}));
  fails(MathOp::pack_int4, {bytes({6, 3})}, {}, "SHAPE_ERROR", {"pack_int4(i8 (6, 3))", "it has 3 elements"});
  fails(MathOp::unpack_int4, {x}, {}, "DTYPE_ERROR", {"unpack_int4(f16 (2, 5))"});
  fails(MathOp::unpack_int4, {at(kX, {2}, Dtype::i16)}, {}, "DTYPE_ERROR", {"in one i8; the input is i16"});
  fails(MathOp::unpack_int4, {bytes({2})}, 0, "SHAPE_ERROR", {"takes no axis"});
}

// kat_vectors of Random123 1.09, philox4x32 with 10 rounds.
TEST(Philox, GivesThePublishedWords) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

struct Random {
  Machine m;
  Values draw(std::int64_t count, Dtype dtype, std::int64_t seed, std::int64_t offset) {
    m.run({MathOp::rand,
           {OperandRef::number(seed, Dtype::i32), OperandRef::number(offset, Dtype::i32)},
           at(kOut, {count}, dtype),
           {}});
    return get(m.memory, at(kOut, {count}, dtype));
  }
};

TEST(ExecutorRand, GivesTheWordsOfPhilox) {
  Random r;
  EXPECT_EQ(r.draw(4, Dtype::i32, 0, 0), (Values{0x6627e8d5, double{0xe169c58d} - 0x1p32, double{0xbc57ac4c} - 0x1p32,
                                                 double{0x9b00dbd8} - 0x1p32}));
  EXPECT_EQ(r.draw(2, Dtype::f32, 0, 0), (Values{0x6627e8 * 0x1p-24, 0xe169c5 * 0x1p-24}));
  EXPECT_EQ(r.draw(1, Dtype::f16, 0, 1), (Values{(0xe169c58d >> 21) * 0x1p-11}));
  EXPECT_EQ(r.draw(1, Dtype::bf16, 0, 2), (Values{0xbc * 0x1p-8}));
  // The last word of all counters that an offset can name: the counter's upper half is not used.
  const std::int64_t last = -1;
  EXPECT_EQ(r.draw(1, Dtype::i32, 7, last)[0],
            static_cast<double>(static_cast<std::int32_t>(philox4x32({0xffffffff, 0x3fffffff, 0, 0}, {7, 0})[3])));
}

RC_GTEST_PROP(ExecutorRand, PiecesAreThoseOfTheWhole, ()) {
  const Dtype dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i32);
  const auto seed = *rc::gen::arbitrary<std::int64_t>();
  const auto from = *rc::gen::inRange<std::int64_t>(0, 1000), first = *rc::gen::inRange<std::int64_t>(0, 40),
             count = *rc::gen::inRange<std::int64_t>(1, 40);
  Random r;
  const Values whole = r.draw(first + count, dtype, seed, from), part = r.draw(count, dtype, seed, from + first);
  RC_ASSERT(part == Values(whole.begin() + first, whole.end()));
  if (!is_float(dtype)) return;
  for (const double v : whole) RC_ASSERT(v >= 0 && v < 1);
}

TEST(ExecutorRand, IsUniform) {
  Random r;
  constexpr std::int64_t kCount = 1 << 16;
  double sum = 0, squares = 0;
  for (const double v : r.draw(kCount, Dtype::f32, 42, 0)) {
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.005);  // four standard deviations
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.005);
}

}  // namespace
}  // namespace kb::data
