// Indexed and masked accesses and atomic additions: their commands (chapter 06, section 9; decision 0047).
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/contract/command.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/requests.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using data::DataMode;
using tl::Context;
using tl::Ptr;
using tl::RecordingPe;
using tl::TensorHandle;
using Extents = std::vector<Extent>;
using Rows = std::vector<std::int64_t>;
using Values = std::vector<double>;
constexpr std::uint64_t kScratch = RecordingPe::kScratchPa;

struct TlIndexed : ::testing::Test {
  RecordingPe pe;
  Context tl{pe, "demo"};
  LayoutPtr layout = row_wise("table", Dtype::f16, {4, 8}, 0x4000000, 2);  // 32 bytes at each of two PEs
  Ptr table{*layout};
  const Command& last() { return pe.commands().back(); }
  void answer(std::vector<std::int64_t> numbers, Dtype dtype) {
    pe.contents = [numbers, dtype](const Extents&) { return data::from_integers(dtype, numbers); };
  }
};

TEST_F(TlIndexed, GatherReadsARowPerIndex) {
  const TensorHandle h = tl.gather(table, Rows{3, 0, 3}, 8);
  EXPECT_EQ(pe.command_names(), (std::vector<std::string>{"dma_read"}));
  EXPECT_EQ(last().memory, (Extents{{0x4100010, 16}, {0x4000000, 16}, {0x4100010, 16}}));
  EXPECT_EQ(last().local, (Extents{{h.address(), 48}}));
  EXPECT_STREQ(last().call, "gather");
  EXPECT_EQ(h.shape(), (Shape{3, 8}));
  EXPECT_EQ(h.dtype(), Dtype::f16);
  tl.gather(table + 8, Rows{1}, 4);  // counted from the pointer on, in rows of 4
  EXPECT_EQ(last().memory, (Extents{{0x4000018, 8}}));
  EXPECT_EQ(tl.gather(table, Rows{1, 2}).shape(), (Shape{2}));  // single elements
}

TEST_F(TlIndexed, GatherTakesIndicesFromScratch) {
  answer({2, 1, 0, 1}, Dtype::i32);
  const TensorHandle indices = tl.zeros({2, 2}, Dtype::i32);
  const TensorHandle h = tl.gather(table, indices, 8);
  EXPECT_EQ(h.shape(), (Shape{2, 2, 8}));
  EXPECT_EQ(last().memory, (Extents{{0x4100000, 16}, {0x4000010, 16}, {0x4000000, 16}, {0x4000010, 16}}));
  EXPECT_EQ(last().call_index, 2u);        // looking at the indices is no call
  tl.gather(table, tl.trans(indices), 8);  // in the order of the view
  EXPECT_EQ(last().memory, (Extents{{0x4100000, 16}, {0x4000000, 16}, {0x4000010, 16}, {0x4000010, 16}}));
}

TEST_F(TlIndexed, GatherMistakes) {
  answer({0, 5, -1}, Dtype::i32);
  const TensorHandle indices = tl.zeros({3}, Dtype::i32);
  expect_program_error(
      [&] { tl.gather(table, indices, 8); }, "ADDRESS_ERROR",
      {"kernel demo, tl.gather #2 at tl_indexed_test.cpp:", ", sip0.cube0.pe0: index 5 of element 1 is out of bounds",
       "tensor 'table' (f16 (4, 8)) has 4 rows of 8 elements", "0 to 3"});
  expect_program_error([&] { tl.gather(table, Rows{0, -1}, 8); }, "ADDRESS_ERROR", {"index -1 of element 1"});
  expect_program_error([&] { tl.gather(table + 1, Rows{3}, 8); }, "ADDRESS_ERROR", {"3 rows of 8", "0 to 2"});
  expect_program_error([&] { tl.gather(table - 8, Rows{0}, 8); }, "ADDRESS_ERROR", {"0 rows of 8"});
  expect_program_error([&] { tl.gather(table, Rows{0}, 40); }, "ADDRESS_ERROR", {"0 rows of 40"});
  expect_program_error([&] { tl.gather(table, Rows{0}, 0); }, "SHAPE_ERROR", {"(1, 0)"});
  expect_program_error([&] { tl.gather(table, Rows{}, 8); }, "SHAPE_ERROR", {"(0, 8)"});
  expect_program_error([&] { tl.gather(table, tl.zeros({3}), 8); }, "DTYPE_ERROR", {"f16 (3)", "integer tensor"});
  expect_program_error([&] { tl.gather(table, tl.zeros({1, 1, 1, 2}, Dtype::i32), 8); }, "SHAPE_ERROR", {"1 to 4"});
  EXPECT_TRUE(pe.commands().empty());
}

TEST_F(TlIndexed, IndicesUnderWayAreWaitedFor) {
  const LayoutPtr list = whole("list", Dtype::i32, {2}, 0x8000000);
  const tl::Future ids = tl.load_async(Ptr(*list), {2});
  const TensorHandle early = tl.zeros({2}, Dtype::i32);
  const tl::Future written = tl.compute_into_async(early, MathOp::add, {early, 1});
  expect_program_error([&] { tl.gather(table, early, 8); }, "KERNEL_ERROR",
                       {"tl.gather", "still being written by tl.add #3", "tl.wait"});
  tl.wait(written);
  tl.gather(table, tl.wait(ids), 8);
  EXPECT_EQ(last().memory.size(), 2u);
}

TEST_F(TlIndexed, ScatterWritesARowPerIndex) {
  tl.scatter(table, Rows{3, 0}, tl.zeros({2, 8}));
  EXPECT_EQ(last().kind, CommandKind::dma_write);
  EXPECT_EQ(last().memory, (Extents{{0x4100010, 16}, {0x4000000, 16}}));
  EXPECT_EQ(last().local, (Extents{{kScratch, 32}}));
  EXPECT_FALSE(last().added.has_value());
  tl.scatter(table, Rows{9, 2}, tl.zeros({2}));
  EXPECT_EQ(last().memory, (Extents{{0x4000012, 2}, {0x4000004, 2}}));
  expect_program_error([&] { tl.scatter(table, Rows{1, 2}, tl.zeros({3, 8})); }, "SHAPE_ERROR", {"f16 (3, 8)", "(2)"});
  expect_program_error(
      [&] {
        tl.scatter(table, Rows{1, 4}, tl.zeros({2, 8}));
      },
      "ADDRESS_ERROR", {"index 4 of element 1"});
  tl.scatter(table, Rows{1}, tl.zeros({1, 8}, Dtype::f32));
  EXPECT_EQ(last().local, pe.commands()[pe.commands().size() - 2].out.extents);  // of a cast to f16
  expect_program_error([&] { tl.scatter(table, Rows{1}, tl.zeros({1, 8}, Dtype::i8)); }, "DTYPE_ERROR", {"cast"});
}

TEST_F(TlIndexed, MaskedLoadReadsRunsOfElements) {
  const TensorHandle h =
      tl.load(table, {8}, std::vector<bool>{true, true, false, true, false, false, true, true}, -1.0);
  EXPECT_EQ(last().memory, (Extents{{0x4000000, 4}, {0x4000006, 2}, {0x400000c, 4}}));
  EXPECT_EQ(last().local, (Extents{{h.address(), 4}, {h.address() + 6, 2}, {h.address() + 12, 4}}));
  ASSERT_EQ(pe.scratch_writes().size(), 1u);
  EXPECT_EQ(pe.scratch_writes()[0].bytes, data::from_doubles(Dtype::f16, Values(8, -1)));
  EXPECT_EQ(pe.scratch_writes()[0].commands_before, 0u);
  tl.load(table + 30, {4}, std::vector<bool>{true, true, false, false});  // the others lie outside
  EXPECT_EQ(last().memory, (Extents{{0x410001c, 4}}));
  tl.load(table, {2}, std::vector<bool>{false, false});
  EXPECT_TRUE(last().memory.empty());
  tl.load(table, {2}, std::vector<bool>{true, true});
  EXPECT_EQ(pe.scratch_writes().size(), 3u);  // nothing to fill in
  expect_program_error([&] { tl.load(table + 30, {3}, std::vector<bool>(3, true)); }, "ADDRESS_ERROR", {"outside"});
  expect_program_error([&] { tl.load(table, {3}, std::vector<bool>(2)); }, "SHAPE_ERROR", {"2 elements", "(3)"});
  expect_program_error([&] { tl.load(table, {3}, tl.zeros({4}, Dtype::i8)); }, "SHAPE_ERROR", {"shape (4)", "(3)"});
  expect_program_error([&] { tl.load(table, {3}, tl.zeros({3})); }, "DTYPE_ERROR", {"mask", "integer"});
}

TEST_F(TlIndexed, MaskedStoreWritesRunsOfElements) {
  answer({0, 7, -1, 0}, Dtype::i16);
  const TensorHandle value = tl.zeros({4}), mask = tl.zeros({4}, Dtype::i16);
  tl.store(table, value, mask);
  EXPECT_EQ(last().kind, CommandKind::dma_write);
  EXPECT_EQ(last().memory, (Extents{{0x4000002, 4}}));
  EXPECT_EQ(last().local, (Extents{{kScratch + 2, 4}}));
}

TEST_F(TlIndexed, AtomicAddIsAWriteThatAdds) {
  tl.atomic_add(table + 8, tl.zeros({2, 8}));
  EXPECT_EQ(last().kind, CommandKind::dma_write);
  EXPECT_EQ(last().added, Dtype::f16);
  EXPECT_EQ(last().memory, (Extents{{0x4000010, 16}, {0x4100000, 16}}));
  tl.atomic_add(table, Rows{1, 1}, tl.zeros({2, 8}));
  EXPECT_EQ(last().added, Dtype::f16);
  EXPECT_EQ(last().memory, (Extents{{0x4000010, 16}, {0x4000010, 16}}));
  tl.store(table, tl.zeros({8}));
  EXPECT_FALSE(last().added.has_value());
  expect_program_error([&] { tl.atomic_add(table, tl.zeros({8}, Dtype::i32)); }, "DTYPE_ERROR", {"i32", "f16"});
}

// A PE of data mode off that knows nothing of what it is asked for.
struct BlindPe {
  explicit BlindPe(std::uint32_t place) : pe(info_at(place)) { pe.blind = true; }
  static contract::PeInfo info_at(std::uint32_t place) {
    contract::PeInfo info = RecordingPe::default_info();
    info.coord = pe_at(0, 0, place);
    return info;
  }
  const Command& last() const { return pe.commands().back(); }
  RecordingPe pe;
  Context tl{pe, "demo"};
};

// As many requests as there are indices, to rows that exist, the same ones in every run.
TEST(TlIndexedOff, UnknownRowsAreAssumedAndMarked) {
  const LayoutPtr layout = row_wise("table", Dtype::f16, {64, 8}, 0x4000000, 4);
  std::vector<Extents> runs;
  for (const std::uint32_t place : {0u, 0u, 1u}) {
    BlindPe off(place);
    Context& tl = off.tl;
    tl.gather(Ptr(*layout), tl.zeros({200}, Dtype::i32), 8);
    runs.push_back(off.last().memory);
    EXPECT_EQ(runs.back().size(), 200u);
    EXPECT_TRUE(off.last().assumed);
    EXPECT_TRUE(off.last().reachable.empty()) << "a read changes nothing";
    tl.load(Ptr(*layout) + 510, {4}, tl.zeros({4}, Dtype::i32));
    EXPECT_EQ(total_bytes(off.last().memory), 4u);  // what the tensor has
    EXPECT_TRUE(off.last().assumed);
    tl.store(Ptr(*layout), tl.zeros({4}), tl.zeros({4}, Dtype::i32));
    EXPECT_TRUE(off.last().assumed);
    tl.store(Ptr(*layout), tl.zeros({4}), std::vector<bool>{true, false, true, true});
    EXPECT_FALSE(off.last().assumed);
    tl.gather(Ptr(*layout), Rows{63}, 8);
    EXPECT_EQ(off.last().memory, (Extents{{0x43000f0, 16}}));  // known in every mode
    EXPECT_FALSE(off.last().assumed);
    tl.scatter(Ptr(*layout) + 8, tl.zeros({1}, Dtype::i32), tl.zeros({1, 8}));
    EXPECT_TRUE(off.last().assumed);
    EXPECT_EQ(off.last().reachable, (Extents{{0x4000010, 240}, {0x4100000, 256}, {0x4200000, 256}, {0x4300000, 256}}));
    tl.store(Ptr(*layout), tl.zeros({4}));
    EXPECT_TRUE(off.last().reachable.empty());
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

std::vector<std::size_t> rows_per_shard(const Extents& rows) {
  std::vector<std::size_t> counts(4);
  for (const Extent& row : rows) ++counts.at((row.pa - 0x4000000) / 0x100000);
  return counts;
}

TEST(TlIndexedOff, UnknownRowsAreInTheOwnShardWhereThePointerIs) {
  const LayoutPtr layout = row_wise("table", Dtype::f16, {64, 8}, 0x4000000, 4);  // 16 rows of 16 bytes at each PE
  BlindPe off(2);
  Context& tl = off.tl;
  const auto rows = tl.zeros({120}, Dtype::i32);
  tl.gather(tl.shard(Ptr(*layout)).ptr + 4 * 8, rows, 8);  // from row 4 of the own shard on
  EXPECT_EQ(rows_per_shard(off.last().memory), (std::vector<std::size_t>{0, 0, 120, 0}));
  std::set<std::uint64_t> places;
  for (const Extent& row : off.last().memory) places.insert(row.pa);
  EXPECT_EQ(places.size(), 12u) << "every row that is left of it";
  EXPECT_EQ(*places.begin(), 0x4200040u);
}

TEST(TlIndexedOff, OtherUnknownRowsAreEvenOverTheShards) {
  const LayoutPtr layout = row_wise("table", Dtype::f16, {64, 8}, 0x4000000, 4);
  BlindPe off(2);
  Context& tl = off.tl;
  const auto rows = tl.zeros({120}, Dtype::i32);
  tl.gather(Ptr(*layout), rows, 8);
  EXPECT_EQ(rows_per_shard(off.last().memory), (std::vector<std::size_t>{30, 30, 30, 30}));
  tl.gather(Ptr(*layout) + 20 * 8, rows, 8);  // in the shard of PE 1
  EXPECT_EQ(rows_per_shard(off.last().memory), (std::vector<std::size_t>{0, 40, 40, 40}));
  tl.gather(Ptr(*layout), tl.zeros({8}, Dtype::i32), 32 * 8);  // of two shards each
  EXPECT_EQ(rows_per_shard(off.last().memory), (std::vector<std::size_t>{4, 4, 4, 4}));
  const LayoutPtr stranger = row_wise("other", Dtype::f16, {32, 8}, 0x4000000, 2);  // nothing at PE 2
  tl.gather(Ptr(*stranger), rows, 8);
  EXPECT_EQ(rows_per_shard(off.last().memory), (std::vector<std::size_t>{60, 60, 0, 0}));
}

// In data mode off with the data engine: known indices give the extents of a run with data, and an assumed scatter
// makes all that it could reach unknown.
TEST(TlIndexedOff, KnownIndicesAreUsed) {
  const LayoutPtr table = row_wise("table", Dtype::f16, {64, 8}, 0x4000000, 4);
  const LayoutPtr list = whole("list", Dtype::i32, {4}, 0x8000000);
  Device device(DataMode::off);
  FunctionalPe pe(RecordingPe::default_info(), device.recorder);
  Context tl(pe, "demo");
  contract::MemoryWrite write;
  write.pa = 0x8000000;
  write.nbytes = 16;
  write.buffer = std::make_shared<const std::vector<std::byte>>(data::from_integers(Dtype::i32, {5, 6, 40, 63}));
  write.known = true;
  device.recorder.on_host_write({}, write, 0_fs, 0_fs);
  const auto ids = tl.load(Ptr(*list), {4});
  EXPECT_EQ(ids.read<std::int32_t>(), (std::vector<std::int32_t>{5, 6, 40, 63}));
  tl.gather(Ptr(*table), ids, 8);
  tl.gather(Ptr(*table), tl.sub(ids, 5), 8);
  tl.load(Ptr(*table), {4}, tl.lt(ids, 40));
  EXPECT_EQ(device.engine.unknown().count, 0u);
  const auto unknown = tl.cast(tl.load(Ptr(*table), {2}), Dtype::i32);
  tl.scatter(Ptr(*list), unknown, tl.zeros({2}, Dtype::i32));
  EXPECT_EQ(device.engine.unknown().count, 1u);
  EXPECT_EQ(device.engine.unknown().call, "scatter");
  const auto after = tl.load(Ptr(*list), {4});
  expect_program_error([&] { after.to_doubles(); }, "DATA_ACCESS", {"not known in data mode off", "--data eager"});
  tl.gather(Ptr(*table), after, 8);
  EXPECT_EQ(device.engine.unknown().count, 2u);
}

}  // namespace
}  // namespace kb::tests
