// What data mode off knows (P-61, P-62, decision 0047): wherever it says that it knows bytes, they are those that a run
// with data has.
#include "platform/data/known_contents.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "platform/contract/data_mode.h"
#include "platform/data/data_engine.h"
#include "platform/data/element.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using Bytes = std::vector<std::byte>;

std::shared_ptr<const Bytes> integers(Dtype dtype, const std::vector<std::int64_t>& values) {
  return std::make_shared<const Bytes>(from_integers(dtype, values));
}

OpRecord written(std::uint64_t pa, const std::shared_ptr<const Bytes>& bytes, bool known = true,
                 WriteName name = WriteName::host_write) {
  return record(WriteOp{name, {{pa, bytes->size()}}, {}, bytes, 0, known});
}

OpRecord copied(std::vector<Extent> from, std::vector<Extent> to) {
  return record(CopyOp{CopyName::dma_read, std::move(from), std::move(to)});
}

struct KnownContentsTest : ::testing::Test {
  std::optional<std::vector<std::int64_t>> read(std::uint64_t pa, std::size_t count, Dtype dtype = Dtype::i32) const {
    const auto bytes = known.read({{pa, count * item_size(dtype)}});
    if (!bytes) return std::nullopt;
    return to_integers(dtype, *bytes);
  }
  MemoryStore memory;
  KnownContents known{memory};
};

using Integers = std::vector<std::int64_t>;

TEST_F(KnownContentsTest, NothingIsKnownThatNobodyWrote) {
  EXPECT_TRUE(known.empty());
  EXPECT_FALSE(read(0, 1));
  known.apply(written(0, integers(Dtype::i32, {1, 2, 3}), false));
  EXPECT_TRUE(known.empty());
  known.apply(written(0, integers(Dtype::i32, {1, 2, 3})));
  EXPECT_EQ(read(0, 3), (Integers{1, 2, 3}));
  EXPECT_EQ(read(4, 1), (Integers{2}));
  EXPECT_FALSE(read(0, 4)) << "one element beyond";
  known.apply(written(4, integers(Dtype::i32, {9}), false));
  EXPECT_EQ(read(0, 1), (Integers{1}));
  EXPECT_FALSE(read(0, 3));
  EXPECT_EQ(read(8, 1), (Integers{3}));
  known.forget(0, 4);
  EXPECT_FALSE(read(0, 1));
}

TEST_F(KnownContentsTest, CopiesHandOnWhatTheirSourceIs) {
  known.apply(written(100, integers(Dtype::i32, {1, 2, 3, 4})));
  known.apply(copied({{104, 8}, {1000, 4}}, {{200, 4}, {300, 8}}));
  EXPECT_EQ(read(200, 1), (Integers{2}));
  EXPECT_EQ(read(300, 1), (Integers{3}));
  EXPECT_FALSE(read(304, 1)) << "from unknown bytes";
  known.apply(copied({{100, 16}}, {{102, 16}}));  // over itself
  EXPECT_EQ(read(102, 4), (Integers{1, 2, 3, 4}));
  known.apply(copied({{1000, 4}}, {{106, 4}}));
  EXPECT_FALSE(read(102, 4));
  EXPECT_EQ(read(102, 1), (Integers{1}));
}

TEST_F(KnownContentsTest, PatternsAreKnownWithoutMemory) {
  known.apply(record(WriteOp{WriteName::host_write, {{0, 12}, {100, 4}}, {7, 4}, nullptr, 0, true}));
  EXPECT_EQ(read(0, 3), (Integers{7, 7, 7}));
  EXPECT_EQ(read(100, 1), (Integers{7}));
  known.apply(copied({{2, 8}}, {{51, 8}}));
  EXPECT_EQ(read(53, 1), (Integers{7}));
  known.apply(written(0, integers(Dtype::i32, {5, 5, 5, 5}), true, WriteName::scratch_write));
  known.apply(written(16, integers(Dtype::i32, {5, 5, 5, 5}), true, WriteName::scratch_write));
  EXPECT_EQ(read(0, 8), (Integers{5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(known.ranges(), 3u) << "both fillings are one range";
}

TEST_F(KnownContentsTest, ProductsAndFloatsAreUnknown) {
  known.apply(written(0, integers(Dtype::i8, {1, 2, 3, 4})));
  known.apply(written(16, integers(Dtype::i32, {1, 2, 3, 4})));
  known.apply(record(GemmOp{test::at(0, {2, 2}, Dtype::i8), test::at(0, {2, 2}, Dtype::i8),
                            test::at(16, {2, 2}, Dtype::i32), Dtype::i32}));
  EXPECT_FALSE(read(16, 1));
  known.apply(written(16, integers(Dtype::i32, {1, 2, 3, 4})));
  known.apply(record(MathOpRecord{MathOp::cast, {test::at(0, {2}, Dtype::i8)}, test::at(16, {2}, Dtype::f32), {}}));
  EXPECT_FALSE(read(16, 1));
  EXPECT_EQ(read(24, 2), (Integers{3, 4}));
  known.apply(record(MathOpRecord{MathOp::cast, {test::at(16, {2}, Dtype::f32)}, test::at(24, {2}, Dtype::i32), {}}));
  EXPECT_FALSE(read(24, 1)) << "of an unknown float";
  known.apply(written(24, integers(Dtype::i32, {1})));
  known.apply(record(
      MathOpRecord{MathOp::rand,
                   {OperandRef::number(std::int64_t{1}, Dtype::i64), OperandRef::number(std::int64_t{0}, Dtype::i64)},
                   test::at(24, {1}, Dtype::i32),
                   {}}));
  EXPECT_FALSE(read(24, 1));
}

TEST_F(KnownContentsTest, SmallIntegerArithmeticIsComputed) {
  known.apply(written(0, integers(Dtype::i32, {1, -2, 3, 4})));
  const OperandRef x = test::at(0, {4}, Dtype::i32);
  known.apply(record(MathOpRecord{
      MathOp::mul, {x, OperandRef::number(std::int64_t{10}, Dtype::i32)}, test::at(100, {4}, Dtype::i32), {}}));
  EXPECT_EQ(read(100, 4), (Integers{10, -20, 30, 40}));
  known.apply(record(MathOpRecord{MathOp::lt, {x, test::at(100, {4}, Dtype::i32)}, test::at(0, {4}, Dtype::i32), {}}));
  EXPECT_EQ(read(0, 4), (Integers{1, 0, 1, 1})) << "in place";
  MathOpRecord top{MathOp::topk,
                   {test::at(100, {4}, Dtype::i32), OperandRef::number(std::int64_t{2}, Dtype::i64)},
                   test::at(200, {2}, Dtype::i32),
                   {}};
  top.positions = test::at(300, {2}, Dtype::i32);
  known.apply(record(top));
  EXPECT_EQ(read(200, 2), (Integers{40, 30}));
  EXPECT_EQ(read(300, 2), (Integers{3, 2}));
  // One unknown input, or a failure, makes all of the result unknown.
  known.apply(
      record(MathOpRecord{MathOp::add, {x, test::at(500, {4}, Dtype::i32)}, test::at(100, {4}, Dtype::i32), {}}));
  EXPECT_FALSE(read(100, 1));
  known.apply(record(MathOpRecord{
      MathOp::div, {x, OperandRef::number(std::int64_t{0}, Dtype::i32)}, test::at(200, {4}, Dtype::i32), {}}));
  EXPECT_FALSE(read(200, 1));
}

TEST_F(KnownContentsTest, LargeArithmeticIsNot) {
  constexpr std::int64_t kMost = KnownContents::kMostElements;
  for (const std::int64_t count : {kMost, kMost + 1}) {
    known.apply(written(0, integers(Dtype::i8, Integers(static_cast<std::size_t>(count), 3))));
    known.apply(record(MathOpRecord{MathOp::add,
                                    {test::at(0, {count}, Dtype::i8), test::at(0, {count}, Dtype::i8)},
                                    test::at(0, {count}, Dtype::i8),
                                    {}}));
    EXPECT_EQ(read(0, 1, Dtype::i8), count == kMost ? std::optional(Integers{6}) : std::nullopt);
  }
}

TEST_F(KnownContentsTest, AtomicAdditionsOfKnownIntegers) {
  known.apply(written(0, integers(Dtype::i32, {1, 2, 3})));
  known.apply(written(100, integers(Dtype::i32, {10, 20, 30})));
  CopyOp sum{CopyName::dma_write, {{100, 12}}, {{4, 4}, {4, 4}, {0, 4}}};
  sum.added = Dtype::i32;
  known.apply(record(sum));
  EXPECT_EQ(read(0, 3), (Integers{31, 32, 3})) << "equal places are added twice";
  sum.source = {{500, 12}};
  known.apply(record(sum));
  EXPECT_FALSE(read(0, 1));
  EXPECT_FALSE(read(4, 1));
  EXPECT_EQ(read(8, 1), (Integers{3}));
}

// An assumed write goes elsewhere in the run with data: all that it could reach is unknown.
TEST_F(KnownContentsTest, AssumedAccessesForgetAllThatTheyReach) {
  known.apply(written(0, integers(Dtype::i32, {1, 2, 3, 4})));
  known.apply(written(100, integers(Dtype::i32, {9, 9})));
  CopyOp gathered{CopyName::dma_read, {{0, 8}}, {{100, 8}}};
  gathered.assumed = true;
  known.apply(record(gathered));
  EXPECT_FALSE(read(100, 1));
  EXPECT_EQ(read(0, 4), (Integers{1, 2, 3, 4}));
  CopyOp scattered{CopyName::dma_write, {{0, 4}}, {{0, 4}}};
  scattered.assumed = true;
  scattered.reachable = {{0, 4}, {8, 4}};
  known.apply(record(scattered));
  EXPECT_FALSE(read(0, 1));
  EXPECT_EQ(read(4, 1), (Integers{2}));
  EXPECT_FALSE(read(8, 1));
}

TEST_F(KnownContentsTest, ATileOfALargerTensorIsOneRange) {
  Integers all(48);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  known.apply(written(1000, integers(Dtype::i32, all)));  // 6 rows of 8
  known.apply(copied({{1000 + 4 * 10, 12}, {1000 + 4 * 18, 12}, {1000 + 4 * 26, 12}}, {{0, 36}}));
  EXPECT_EQ(known.ranges(), 2u);
  EXPECT_EQ(read(0, 9), (Integers{10, 11, 12, 18, 19, 20, 26, 27, 28}));
  EXPECT_EQ(read(8, 2), (Integers{12, 18}));
  known.apply(copied({{4, 20}}, {{200, 20}}));  // a part of it
  EXPECT_EQ(read(200, 5), (Integers{11, 12, 18, 19, 20}));
  known.apply(copied({{200, 4}, {208, 4}, {216, 4}}, {{300, 12}}));  // rows of a tile are no tile
  EXPECT_EQ(read(300, 3), (Integers{11, 18, 20}));
  known.apply(written(1000, integers(Dtype::i32, {7})));
  EXPECT_EQ(read(0, 1), (Integers{10})) << "what was copied stays";
  known.apply(copied({{1000, 12}, {1000 + 4 * 8, 12}}, {{0, 24}}));  // rows of two buffers
  EXPECT_EQ(read(0, 6), (Integers{7, 1, 2, 8, 9, 10}));
  known.apply(written(1000 + 4 * 12, integers(Dtype::i32, {5}), false));
  known.apply(copied({{1000 + 4 * 10, 12}, {1000 + 4 * 18, 12}}, {{400, 24}}));
  EXPECT_EQ(read(400, 2), (Integers{10, 11}));
  EXPECT_FALSE(read(408, 1));
}

// What reads tensors in its epilogue is not computed here.
TEST_F(KnownContentsTest, CompositesAreUnknown) {
  known.apply(written(0, integers(Dtype::i32, {1, 2, 3, 4})));
  MathOpRecord op{MathOp::add,
                  {test::at(0, {4}, Dtype::i32), OperandRef::number(1, Dtype::i32)},
                  test::at(100, {4}, Dtype::i32),
                  {}};
  known.apply(record(op));
  EXPECT_EQ(read(100, 4), (Integers{2, 3, 4, 5}));
  op.epilogues.emplace_back();
  known.apply(record(op));
  EXPECT_FALSE(read(100, 1));
}

struct Keeper final : contract::IExternalContents {
  void read(std::uint64_t, std::byte*, std::uint64_t) override {}
  void write(std::uint64_t, const std::byte*, std::uint64_t) override {}
};

TEST_F(KnownContentsTest, WhatAnOutsideModelKeepsIsUnknown) {
  Keeper keeper;
  memory.map_external(100, 50, keeper);
  known.apply(written(96, integers(Dtype::i32, {1, 2, 3})));
  EXPECT_FALSE(read(100, 1));
  known.apply(written(0, integers(Dtype::i32, {1})));
  known.apply(copied({{0, 4}}, {{120, 4}}));
  EXPECT_FALSE(read(120, 1));
}

// Random operations: what is known equals what an eager engine holds.
RC_GTEST_PROP(KnownContentsProperty, AgreesWithEagerWhereverItKnows, ()) {
  MemoryStore eager_memory, off_memory;
  DataEngine eager(DataMode::eager, eager_memory), off(DataMode::off, off_memory);
  const auto both = [&](const OpRecord& one) {
    OpRecord copy = one, other = one;
    eager.complete(std::move(copy));
    off.complete(std::move(other));
  };
  const auto place = [] { return static_cast<std::uint64_t>(*rc::gen::inRange(0, 60)) * 4; };
  std::size_t known = 0;
  for (int step = 0; step < 60; ++step) {
    const std::uint64_t from = place(), to = place();
    const auto count = *rc::gen::inRange<std::int64_t>(1, 6);
    const auto bytes = static_cast<std::uint64_t>(count) * 4;
    const auto number = *rc::gen::inRange<std::int64_t>(-9, 9);
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        both(written(to, integers(Dtype::i32, Integers(static_cast<std::size_t>(count), number)),
                     *rc::gen::inRange(0, 4) != 0));
        break;
      case 1:
        both(copied({{from, bytes}}, {{to, bytes}}));
        break;
      case 2:
        both(record(MathOpRecord{MathOp::sub,
                                 {test::at(from, {count}, Dtype::i32), OperandRef::number(number, Dtype::i32)},
                                 test::at(to, {count}, Dtype::i32),
                                 {}}));
        break;
      case 3: {
        CopyOp sum{CopyName::dma_write, {{from, bytes}}, {{to, bytes}}};
        sum.added = Dtype::i32;
        both(record(sum));
        break;
      }
      case 4:
        both(copied({{from, 4}, {to, bytes}}, {{from, bytes}, {to, 4}}));
        break;
      case 5: {
        std::vector<Extent> rows;
        for (std::uint64_t row = 0; row < 3; ++row) rows.push_back({from + row * (bytes + 8), bytes});
        both(copied(rows, {{to, 3 * bytes}}));
        break;
      }
      default:
        both(record(WriteOp{
            WriteName::host_write, {{to, bytes}}, {static_cast<std::uint64_t>(number & 0xff), 1}, nullptr, 0, true}));
        break;
    }
    for (std::uint64_t pa = 0; pa < 300; pa += 4) {
      const auto value = off.contents({{pa, 4}});
      if (!value) continue;
      ++known;
      RC_ASSERT(*value == eager.read({{pa, 4}}));
    }
  }
  RC_CLASSIFY(known > 0, "some are known");
}

}  // namespace
}  // namespace kb::data
