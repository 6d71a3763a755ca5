// load, store, ref and known contents of the facade (chapter 06, section 9; P-100).
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/tl/context.h"
#include "kernels/tl/recording_pe.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using tl::Context;
using tl::Ptr;
using tl::RecordingPe;
using tl::TensorHandle;
using Extents = std::vector<Extent>;
constexpr std::uint64_t kScratch = RecordingPe::kScratchPa;

struct TlMemory : ::testing::Test {
  RecordingPe pe;
  Context tl{pe, "demo"};
  LayoutPtr layout = row_wise("x", Dtype::f16, {4, 8}, 0x4000000, 2);  // 32 bytes at each of two PEs
  Ptr x{*layout};

  template <typename T>
  std::vector<T> written(std::size_t i) {
    const std::vector<std::byte>& bytes = pe.scratch_writes().at(i).bytes;
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

TEST_F(TlMemory, LoadIsOneReadIntoScratch) {
  const TensorHandle h = tl.load(x + 4, {2, 4});
  ASSERT_EQ(pe.commands().size(), 1u);
  const Command& c = pe.commands()[0];
  EXPECT_EQ(c.kind, CommandKind::dma_read);
  EXPECT_EQ(c.memory, (Extents{{0x4000008, 16}}));
  EXPECT_EQ(c.local, (Extents{{kScratch, 16}}));
  EXPECT_STREQ(c.call, "load");
  EXPECT_EQ(c.call_index, 1u);
  EXPECT_EQ(h.shape(), (Shape{2, 4}));
  EXPECT_EQ(h.size(-1), 4);
  EXPECT_EQ(h.dtype(), Dtype::f16);
  EXPECT_EQ(h.nbytes(), 16u);
  EXPECT_EQ(h.address(), kScratch);
}

TEST_F(TlMemory, LoadAcrossShardsIsOneCommand) {
  tl.load(x, {4, 8});
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x4000000, 32}, {0x4100000, 32}}));
  EXPECT_EQ(pe.commands()[0].local, (Extents{{kScratch, 64}}));
}

TEST_F(TlMemory, StridedTileGathersRows) {
  tl.load(x + 2, {3, 4}, Dtype::f16, 8);
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x4000004, 8}, {0x4000014, 8}, {0x4100004, 8}}));
  EXPECT_EQ(pe.commands()[0].local, (Extents{{kScratch, 24}}));
}

TEST_F(TlMemory, StrideEqualToTheRowIsDense) {
  tl.load(x, {2, 8}, std::nullopt, 8);
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x4000000, 32}}));
}

// with a virtual range one extent per contiguous piece, wherever the shards lie; bounds as before.
TEST_F(TlMemory, AVirtualRangeIsOffsetFromItsBase) {
  constexpr std::uint64_t kBase = 0x4000'0001'0000'0000;
  layout->va_base = kBase;
  const TensorHandle whole = tl.load(x, {4, 8});
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{kBase, 64}}));
  EXPECT_EQ(pe.commands()[0].local, (Extents{{kScratch, 64}}));
  tl.load(x + 2, {3, 4}, Dtype::f16, 8);
  EXPECT_EQ(pe.commands()[1].memory, (Extents{{kBase + 4, 8}, {kBase + 20, 8}, {kBase + 36, 8}}));
  tl.store(x, whole);
  EXPECT_EQ(pe.commands()[2].memory, (Extents{{kBase, 64}}));
  tl.composite(MathOp::neg, tl.ref(x + 8, {2, 8}), x + 16);
  EXPECT_EQ(pe.commands()[3].inputs.at(0).extents, (Extents{{kBase + 16, 32}}));
  EXPECT_EQ(pe.commands()[3].out.extents, (Extents{{kBase + 32, 32}}));
  expect_program_error([&] { tl.load(x + 16, {4, 8}); }, "ADDRESS_ERROR", {"outside tensor 'x'"});
}

TEST_F(TlMemory, LastStridedRowMayEndWithTheTensor) {
  tl.load(x + 4, {4, 4}, std::nullopt, 8);
  EXPECT_EQ(pe.commands()[0].memory.back(), (Extent{0x4100018, 8}));
  expect_program_error(
      [&] {
        tl.load(x + 5, {4, 4}, std::nullopt, 8);
      },
      "ADDRESS_ERROR", {"kernel demo", "tl.load #2", "sip0.cube0.pe0", "tensor 'x'", "bytes 58 to 65", "(4, 4)"});
}

TEST_F(TlMemory, StoreIsOneWriteFromScratch) {
  const TensorHandle h = tl.load(x, {2, 2}, Dtype::f16, 8);
  tl.store(x + 16 + 6, h, 8);
  const Command& c = pe.commands()[1];
  EXPECT_EQ(c.kind, CommandKind::dma_write);
  EXPECT_EQ(c.memory, (Extents{{0x410000c, 4}, {0x410001c, 4}}));
  EXPECT_EQ(c.local, (Extents{{kScratch, 8}}));
  EXPECT_STREQ(c.call, "store");
  EXPECT_EQ(c.call_index, 2u);
}

TEST_F(TlMemory, RefEmitsNothingAndIsNoOperand) {
  const TensorHandle r = tl.ref(x, {4, 8});
  EXPECT_TRUE(r.is_ref());
  EXPECT_TRUE(pe.commands().empty());
  const std::vector<std::string> remedy{"reference to data in memory", "tl.load", "tl.ref #1"};
  expect_program_error([&] { tl.dot(r, r); }, "KERNEL_ERROR", remedy);
  expect_program_error([&] { tl.exp(r); }, "KERNEL_ERROR", remedy);
  expect_program_error([&] { tl.store(x, r); }, "KERNEL_ERROR", remedy);
  expect_program_error([&] { r.to_doubles(); }, "KERNEL_ERROR", remedy);
  expect_program_error([&] { tl.ref(x + 1, {4, 8}); }, "ADDRESS_ERROR", {"tl.ref", "tensor 'x'"});
}

TEST_F(TlMemory, OutOfTheTensorIsAnAddressError) {
  expect_program_error([&] { tl.load(x + 28, {5}); }, "ADDRESS_ERROR",
                       {"bytes 56 to 65", "outside", "tensor 'x'", "f16 (4, 8)", "64 bytes"});
  expect_program_error([&] { tl.load(x - 1, {5}); }, "ADDRESS_ERROR", {"bytes -2 to 7"});
  expect_program_error([&] { tl.load(x, {1 << 30}); }, "ADDRESS_ERROR", {"outside"});
  EXPECT_TRUE(pe.commands().empty());
  EXPECT_EQ(tl.load(x + 31, {1}).address(), kScratch);  // failed calls took no scratch
}

TEST_F(TlMemory, HolesAreAnAddressError) {
  layout->shards.pop_back();
  expect_program_error([&] { tl.load(x, {4, 8}); }, "ADDRESS_ERROR", {"are in no shard of tensor 'x'"});
}

TEST_F(TlMemory, BadShapesStridesAndPointers) {
  expect_program_error([&] { tl.load(x, {}); }, "SHAPE_ERROR", {"shape ()"});
  expect_program_error([&] { tl.load(x, {2, 0}); }, "SHAPE_ERROR", {"(2, 0)"});
  expect_program_error([&] { tl.load(x, {1, 1, 1, 1, 1}); }, "SHAPE_ERROR", {"1 to 4 dimensions"});
  const std::int64_t huge = std::int64_t{1} << 40;
  expect_program_error([&] { tl.load(x, {huge, huge}); }, "SHAPE_ERROR", {"not possible"});
  expect_program_error([&] { tl.load(x, {2, 8}, std::nullopt, 4); }, "SHAPE_ERROR", {"row stride 4"});
  expect_program_error([&] { tl.load(x, {8}, std::nullopt, 16); }, "SHAPE_ERROR", {"row stride 16"});
  expect_program_error([&] { tl.load(x, {2, 8}, std::nullopt, std::int64_t{1} << 62); }, "SHAPE_ERROR", {"too large"});
  expect_program_error([&] { tl.load(x.bytes(1), {2}); }, "ADDRESS_ERROR", {"byte offset 1", "multiple"});
  expect_program_error([&] { tl.load(Ptr(), {2}); }, "SCHEMA_ERROR", {"points to no tensor"});
}

TEST_F(TlMemory, DtypeOnlyRepeatsThePointers) {
  expect_program_error([&] { tl.load(x, {2}, Dtype::f32); }, "DTYPE_ERROR", {"tensor 'x'", "f16", "f32", "ptr.as"});
  EXPECT_EQ(tl.load(x.as(Dtype::f32), {16}, Dtype::f32).nbytes(), 64u);
  const TensorHandle whole = tl.zeros({2}, Dtype::i32);
  expect_program_error([&] { tl.store(x, whole); }, "DTYPE_ERROR", {"i32", "tensor 'x'", "tl.cast"});
}

TEST_F(TlMemory, AStoreOfAnotherDtypeCastsFirst) {
  const TensorHandle wide = tl.zeros({2}, Dtype::f32);
  tl.store(x, wide);
  ASSERT_EQ(pe.command_names(), (std::vector<std::string>{"math.cast", "dma_write"}));
  const Command &cast = pe.commands()[0], &write = pe.commands()[1];
  EXPECT_EQ(cast.out.dtype, Dtype::f16);
  EXPECT_FALSE(cast.must_fit);
  EXPECT_EQ(cast.call_index, write.call_index);
  EXPECT_STREQ(cast.call, "store");
  EXPECT_EQ(write.local, cast.out.extents);
  EXPECT_EQ(total_bytes(write.memory), 4u);
  EXPECT_EQ(tl.empty({1}).address(), cast.out.extents[0].pa);  // the scratch of the cast is free again
  expect_program_error([&] { tl.store(x, tl.trans(tl.zeros({2, 2}, Dtype::f32))); }, "KERNEL_ERROR", {"transposed"});
}

TEST_F(TlMemory, StoreOfATransposedViewIsRefused) {
  const TensorHandle t = tl.trans(tl.load(x, {2, 8}));
  expect_program_error([&] { tl.store(x, t); }, "KERNEL_ERROR", {"transposed", "tl.cast"});
  tl.store(x, tl.cast(t, Dtype::f16));
  EXPECT_EQ(pe.command_names(), (std::vector<std::string>{"dma_read", "math.cast", "dma_write"}));
}

TEST_F(TlMemory, KnownContentsAreSeededWithoutACommand) {
  const TensorHandle z = tl.zeros({2, 3}, Dtype::f32);
  const TensorHandle f = tl.full({3}, 1.5);
  const TensorHandle i = tl.full({2}, std::int64_t{-7}, Dtype::i64);
  const TensorHandle a = tl.arange(-1, 3);
  EXPECT_TRUE(pe.commands().empty());
  ASSERT_EQ(pe.scratch_writes().size(), 4u);
  EXPECT_EQ(written<float>(0), (std::vector<float>{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(written<std::uint16_t>(1), (std::vector<std::uint16_t>{0x3e00, 0x3e00, 0x3e00}));
  EXPECT_EQ(written<std::int64_t>(2), (std::vector<std::int64_t>{-7, -7}));
  EXPECT_EQ(written<std::int32_t>(3), (std::vector<std::int32_t>{-1, 0, 1, 2}));
  EXPECT_EQ(z.dtype(), Dtype::f32);
  EXPECT_EQ(f.dtype(), Dtype::f16);
  EXPECT_EQ(i.dtype(), Dtype::i64);
  EXPECT_EQ(a.shape(), Shape{4});
  EXPECT_EQ(pe.scratch_writes()[1].pa, kScratch + 32);  // aligned after 24 bytes (P-58)
  expect_program_error([&] { tl.arange(3, 3); }, "SHAPE_ERROR", {"arange(3, 3)"});
  expect_program_error([&] { tl.full({1}, 300.0, Dtype::i8); }, "VALUE_ERROR", {"kernel demo", "tl.full", "300", "i8"});
}

TEST_F(TlMemory, ContentsComeFromTheirScratchBytes) {
  Extents asked;
  pe.contents = [&](const Extents& extents) {
    asked = extents;
    const std::int16_t values[]{1, 2, 3, 4, 5, -6};
    std::vector<std::byte> bytes(sizeof values);
    std::memcpy(bytes.data(), values, sizeof values);
    return bytes;
  };
  const LayoutPtr small = whole("s", Dtype::i16, {2, 3}, 0);
  const TensorHandle h = tl.load(Ptr(*small), {2, 3});
  EXPECT_EQ(h.to_doubles(), (std::vector<double>{1, 2, 3, 4, 5, -6}));
  EXPECT_EQ(asked, (Extents{{kScratch, 12}}));
  EXPECT_EQ(h.read<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 3, 4, 5, -6}));
  EXPECT_EQ(tl.trans(h).read<float>(), (std::vector<float>{1, 4, 2, 5, 3, -6}));
  EXPECT_EQ(pe.commands().size(), 1u);
  expect_program_error([&] { h.item(); }, "KERNEL_ERROR", {"item()", "(2, 3)"});
  pe.contents = [](const Extents&) -> std::vector<std::byte> { throw Error::program("DATA_ACCESS", "computed later"); };
  expect_program_error([&] { h.to_doubles(); }, "DATA_ACCESS", {"kernel demo", "computed later"});
}

TEST_F(TlMemory, I64ContentsAreExact) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  pe.contents = [&](const Extents&) {
    std::vector<std::byte> bytes(sizeof big);
    std::memcpy(bytes.data(), &big, sizeof big);
    return bytes;
  };
  EXPECT_EQ(tl.full({1}, big, Dtype::i64).read<std::int64_t>().front(), big);
}

TEST_F(TlMemory, ShardIsThePartOfThisPe) {
  const tl::LocalShard first = tl.shard(x);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(first.elements, 16);
  EXPECT_EQ(first.shape, (Shape{2, 8}));
  contract::PeInfo info = RecordingPe::default_info();
  info.coord = pe_at(0, 0, 1);
  RecordingPe other(info);
  Context second_tl(other, "demo");
  const tl::LocalShard second = second_tl.shard(x + 5);
  EXPECT_EQ(second.first, 16);
  EXPECT_EQ(second.ptr.offset_bytes(), 32);
  info.coord = pe_at(0, 3, 1);
  RecordingPe stranger(info);
  Context third_tl(stranger, "demo");
  EXPECT_EQ(third_tl.shard(x).elements, 0);
}

TEST_F(TlMemory, FailingAccessNamesTheCall) {
  pe.on_execute = [](const Command&) { throw Error::program("ADDRESS_ERROR", "no memory at 0x1"); };
  expect_program_error([&] { tl.load(x, {2}); }, "ADDRESS_ERROR",
                       {"kernel demo, tl.load #1 at tl_memory_test.cpp:", ", sip0.cube0.pe0: no memory at 0x1"});
}

TEST_F(TlMemory, OffsetsBeyondEveryAddressAreRefusedWhereTheyArise) {
  const auto refused = [](const auto& call, const std::string& steps) {
    expect_program_error(call, "ADDRESS_ERROR", {steps, "in tensor 'x', which has 64 bytes"});
  };
  refused([&] { static_cast<void>(x + INT64_MAX); }, "9223372036854775807 steps of 2 B from byte 0");
  refused([&] { static_cast<void>(x - INT64_MAX); }, "9223372036854775807 steps of -2 B from byte 0");
  refused([&] { static_cast<void>(x + INT64_MIN); }, "-9223372036854775808 steps of 2 B");
  refused([&] { static_cast<void>(x - INT64_MIN); }, "-9223372036854775808 steps of -2 B");
  refused([&] { static_cast<void>((x + 1).bytes(INT64_MAX)); }, "9223372036854775807 steps of 1 B from byte 2");
  EXPECT_EQ((x + INT64_MAX / 2 - INT64_MAX / 2).offset_bytes(), 0);
  expect_program_error([&] { tl.load(x + INT64_MAX / 2, {4}); }, "ADDRESS_ERROR",
                       {"bytes 9223372036854775806 to 9223372036854775807", "are outside tensor 'x'"});
}

TEST_F(TlMemory, TilesOfAnySizeAreRefusedBeforeMemoryIsTakenForThem) {
  const std::int64_t most = INT64_C(1) << 40;
  expect_program_error(
      [&] {
        tl.load(x + 2, {most, 4}, Dtype::f16, 8);
      },
      "ADDRESS_ERROR", {"bytes 68 to 75", "are outside tensor 'x'"});
  expect_program_error([&] { tl.load(x - 8, {most, 4}, Dtype::f16, 8); }, "ADDRESS_ERROR", {"bytes -16 to -9"});
  expect_program_error(
      [&] {
        tl.load(x, {most, 4}, Dtype::f16, 1 << 20);
      },
      "ADDRESS_ERROR", {"bytes 2097152 to 2097159"});
  expect_program_error(
      [&] {
        tl.load(x, {most, 4}, Dtype::f16, INT64_MAX / 2);
      },
      "SHAPE_ERROR", {"row stride 4611686018427387903 is too large for 1099511627776 rows", "tensor 'x'"});
  expect_program_error([&] { tl.zeros({most, 1024}, Dtype::f16); }, "OUT_OF_SCRATCH", {"f16 (1099511627776, 1024)"});
  expect_program_error([&] { tl.full({most}, 1.0, Dtype::f16); }, "OUT_OF_SCRATCH", {"f16 (1099511627776)"});
  expect_program_error([&] { tl.arange(0, most); }, "OUT_OF_SCRATCH", {"i32 (1099511627776)"});
  expect_program_error([&] { tl.arange(INT64_MIN, INT64_MAX); }, "SHAPE_ERROR", {"more elements than can be counted"});
  expect_program_error([&] { tl.empty({most, most}, Dtype::f16); }, "SHAPE_ERROR", {"(1099511627776, 1099511627776)"});
}

TEST_F(TlMemory, TheLastNumbersOfARangeCanBeMade) {
  tl.arange(INT64_MAX - 2, INT64_MAX, Dtype::i64);
  EXPECT_EQ(written<std::int64_t>(0), (std::vector<std::int64_t>{INT64_MAX - 2, INT64_MAX - 1}));
}

}  // namespace
}  // namespace kb::tests
