// What indexed and masked accesses and atomic additions leave in memory, beside plain loops (chapter 06, section 9).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/contract/data_mode.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using data::DataMode;
using tl::Context;
using tl::Ptr;
using tl::RecordingPe;
using tl::TensorHandle;
using Rows = std::vector<std::int64_t>;
using Values = std::vector<double>;

struct Machine {
  explicit Machine(DataMode mode) : device(mode) {}
  Device device;
  FunctionalPe pe{RecordingPe::default_info(), device.recorder};
  Context tl{pe, "demo"};
};

DataMode some_mode() {
  return *rc::gen::element(DataMode::eager, DataMode::replay);
}
Dtype some_dtype() {
  return *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64);
}
Rows some_rows(std::size_t count, std::int64_t bound) {
  return *rc::gen::container<Rows>(count, rc::gen::inRange<std::int64_t>(0, bound));
}
// Small whole numbers: their sums are exact in every dtype in any order.
Values some_values(std::int64_t count) {
  return data::random_small_integers(*rc::gen::inRange<std::uint64_t>(0, 1u << 20), static_cast<std::size_t>(count));
}

struct Problem {
  std::int64_t rows = *rc::gen::inRange<std::int64_t>(1, 9) * 2;
  std::int64_t width = *rc::gen::inRange<std::int64_t>(1, 9);
  std::size_t count = *rc::gen::inRange<std::size_t>(1, 20);
  Dtype dtype = some_dtype();
  Dtype index_dtype = *rc::gen::element(Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64);
  Rows indices = some_rows(count, rows);
  LayoutPtr table = row_wise("table", dtype, {rows, width}, 0x4000000, 2);
  LayoutPtr list = whole("list", index_dtype, {static_cast<std::int64_t>(count)}, 0x8000000);
  Values before = some_values(rows * width);
  Values values = some_values(static_cast<std::int64_t>(count) * width);
  Shape shape{static_cast<std::int64_t>(count), width};

  void deploy(Machine& m) const {
    m.device.write(*table, before);
    m.device.write(*list, Values(indices.begin(), indices.end()));
  }
  std::size_t at(std::int64_t row, std::int64_t column) const { return static_cast<std::size_t>(row * width + column); }
};

TEST(TlIndexedResults, GatherAndScatterMatchPlainLoops) {
  rc::check("by rows", [] {
    const Problem p;
    Machine m(some_mode());
    p.deploy(m);
    const LayoutPtr out = whole("out", p.dtype, p.shape, 0xa000000);
    const TensorHandle indices = m.tl.load(Ptr(*p.list), p.list->shape);
    m.tl.store(Ptr(*out), m.tl.view(m.tl.gather(Ptr(*p.table), indices, p.width), 0, p.shape));
    Values wanted;
    for (const std::int64_t row : p.indices) {
      for (std::int64_t c = 0; c < p.width; ++c) wanted.push_back(p.before[p.at(row, c)]);
    }
    RC_ASSERT(m.device.read(*out) == wanted);

    m.device.write(*out, p.values);
    m.tl.scatter(Ptr(*p.table), indices, m.tl.load(Ptr(*out), p.width == 1 ? p.list->shape : p.shape));
    Values after = p.before;
    for (std::size_t i = 0; i < p.count; ++i) {
      for (std::int64_t c = 0; c < p.width; ++c)
        after[p.at(p.indices[i], c)] = p.values[p.at(static_cast<std::int64_t>(i), c)];
    }
    RC_ASSERT(m.device.read(*p.table) == after);
  });
}

TEST(TlIndexedResults, AtomicAddCountsEveryIndex) {
  rc::check("sums", [] {
    const Problem p;
    Machine m(some_mode());
    p.deploy(m);
    const LayoutPtr in = whole("in", p.dtype, p.shape, 0xa000000);
    m.device.write(*in, p.values);
    const TensorHandle indices = m.tl.load(Ptr(*p.list), p.list->shape), value = m.tl.load(Ptr(*in), p.shape);
    m.tl.atomic_add(Ptr(*p.table), indices, value);
    m.tl.atomic_add(Ptr(*p.table), indices, value);
    Values wanted = p.before;
    for (std::size_t i = 0; i < p.count; ++i) {
      for (std::int64_t c = 0; c < p.width; ++c) {
        wanted[p.at(p.indices[i], c)] += 2 * p.values[p.at(static_cast<std::int64_t>(i), c)];
      }
    }
    // Up to 20 x 2 x 8 and 8: whole numbers that bf16 may have to round, and i8 to wrap.
    if (p.dtype == Dtype::bf16 || p.dtype == Dtype::i8) return;
    RC_ASSERT(m.device.read(*p.table) == wanted);
  });
}

TEST(TlIndexedResults, MaskedAccessesMatchPlainLoops) {
  rc::check("by elements", [] {
    const std::int64_t n = *rc::gen::inRange<std::int64_t>(1, 40);
    const Dtype dtype = some_dtype(), mask_dtype = *rc::gen::element(Dtype::i8, Dtype::i32);
    const auto chosen = some_rows(static_cast<std::size_t>(n), 2);
    const Values before = some_values(n), values = some_values(n);
    const LayoutPtr x = whole("x", dtype, {n}, 0x4000000), y = whole("y", dtype, {n}, 0x5000000),
                    list = whole("mask", mask_dtype, {n}, 0x8000000);
    Machine m(some_mode());
    m.device.write(*x, values);
    m.device.write(*y, before);
    m.device.write(*list, Values(chosen.begin(), chosen.end()));
    const TensorHandle mask = m.tl.load(Ptr(*list), {n});
    const TensorHandle loaded = m.tl.load(Ptr(*x), {n}, mask, 5);
    Values filled = values, stored = before;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (chosen[i] == 0) filled[i] = 5;
      if (chosen[i] != 0) stored[i] = values[i];
    }
    RC_ASSERT(loaded.to_doubles() == filled);
    m.tl.store(Ptr(*y), m.tl.load(Ptr(*x), {n}), mask);
    RC_ASSERT(m.device.read(*y) == stored);
  });
}

TEST(TlIndexedResults, AdditionsRoundAndWrapLikeAdd) {  // P-90
  Machine m(DataMode::eager);
  const LayoutPtr h = whole("h", Dtype::f16, {2}, 0x4000000), b = whole("b", Dtype::i8, {1}, 0x5000000);
  m.device.write(*h, {2048, 1});
  m.device.write(*b, {127});
  m.tl.atomic_add(Ptr(*h), Rows{0, 0, 1}, m.tl.full({3}, 1.0, Dtype::f16));
  m.tl.atomic_add(Ptr(*b), m.tl.full({1}, 1, Dtype::i8));
  EXPECT_EQ(m.device.read(*h), (Values{2048, 2}));  // each addition is rounded: 2049 is no f16 number
  EXPECT_EQ(m.device.read(*b), Values{-128});
}

TEST(TlIndexedResults, ComputedIndicesAreOutOfReachInReplay) {  // P-62
  Machine m(DataMode::replay);
  const LayoutPtr table = whole("table", Dtype::f16, {4, 2}, 0x4000000);
  m.device.write(*table, Values(8, 1));
  const TensorHandle computed = m.tl.arange(0, 2) + 1;
  expect_program_error([&] { m.tl.gather(Ptr(*table), computed, 2); }, "DATA_ACCESS",
                       {"kernel demo, tl.gather #3", "add", "--data eager"});
  m.tl.atomic_add(Ptr(*table), m.tl.full({2}, 1.0));
  const TensorHandle sums = m.tl.load(Ptr(*table), {2});
  expect_program_error([&] { sums.to_doubles(); }, "DATA_ACCESS", {"add"});  // a sum is computed, too
  Machine eager(DataMode::eager);
  eager.device.write(*table, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(eager.tl.gather(Ptr(*table), eager.tl.arange(0, 2) + 1, 2).to_doubles(), (Values{2, 3, 4, 5}));
}

}  // namespace
}  // namespace kb::tests
