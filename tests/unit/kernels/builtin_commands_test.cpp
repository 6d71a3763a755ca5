// The commands that the built-in kernels give to their PE.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/catalog.h"
#include "kernels/tl/recording_pe.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::KernelArg;
using tl::RecordingPe;
using Args = std::vector<contract::NamedArg>;
using Extents = std::vector<Extent>;
using Names = std::vector<std::string>;

KernelArg arg(const LayoutPtr& layout) {
  return std::shared_ptr<const contract::TensorLayout>(layout);
}

RecordingPe run_at(PeCoord coord, const std::string& kernel, const Args& args) {
  contract::PeInfo info = RecordingPe::default_info();
  info.coord = coord;
  RecordingPe pe(info);
  kernels::KernelCatalog().find(kernel)->run(pe, args);
  return pe;
}

std::int64_t macs(const RecordingPe& pe) {
  std::int64_t sum = 0;
  for (const Command& c : pe.commands()) sum += c.m * c.k * c.n;
  return sum;
}

struct Gemm : ::testing::Test {
  Args args(std::int64_t m, std::int64_t k, std::int64_t n, std::vector<std::int64_t> tiles, std::uint32_t pes = 1) {
    Args out{{"a", arg(row_wise("a", Dtype::f16, {m, k}, 0x10000000, pes))},
             {"b", arg(replicated("b", Dtype::f16, {k, n}, 0x20000000, 1, pes))},
             {"c", arg(row_wise("c", Dtype::f16, {m, n}, 0x30000000, pes))},
             {"m", m},
             {"k", k},
             {"n", n}};
    const char* const names[] = {"tile_m", "tile_k", "tile_n"};
    for (std::size_t i = 0; i < tiles.size(); ++i) out.push_back({names[i], tiles[i]});
    return out;
  }
};

TEST_F(Gemm, OneTileIsLoadLoadDotStore) {
  const RecordingPe pe = run_at(pe_at(0, 0, 0), "gemm", args(32, 64, 16, {}));
  EXPECT_EQ(pe.command_names(), (Names{"dma_read", "dma_read", "gemm", "dma_write"}));
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x10000000, 32 * 64 * 2}}));
  EXPECT_EQ(pe.commands()[1].memory, (Extents{{0x20000000, 64 * 16 * 2}}));
  EXPECT_EQ(pe.commands()[2].out.dtype, Dtype::f16);
  EXPECT_EQ(pe.commands()[3].memory, (Extents{{0x30000000, 32 * 16 * 2}}));
}

TEST_F(Gemm, KTilesAccumulateInF32) {
  const RecordingPe pe = run_at(pe_at(0, 0, 0), "gemm", args(8, 48, 8, {8, 16, 8}));
  EXPECT_EQ(pe.command_names(), (Names{"dma_read", "dma_read", "gemm",  //
                                       "dma_read", "dma_read", "gemm",  //
                                       "dma_read", "dma_read", "gemm",  //
                                       "math.cast", "dma_write"}));
  for (const std::size_t i : {2u, 5u, 8u}) {
    EXPECT_EQ(pe.commands()[i].out.dtype, Dtype::f32);
    EXPECT_EQ(pe.commands()[i].accumulate, i != 2);
    EXPECT_EQ(pe.commands()[i].out.extents, pe.commands()[2].out.extents);
  }
  EXPECT_EQ(pe.commands()[6].local, pe.commands()[3].local);  // scratch of the step before
  EXPECT_EQ(pe.commands()[9].out.dtype, Dtype::f16);
}

TEST_F(Gemm, TilesAreCutOutOfRows) {
  const RecordingPe pe = run_at(pe_at(0, 0, 0), "gemm", args(4, 8, 8, {2, 4, 4}));
  // The tile at rows 2..3, columns 4..7 of C is the last of four; its second k step reads A(2..3, 4..7), B(4..7, 4..7).
  const auto& c = pe.commands();
  const std::size_t last = c.size() - 1;
  EXPECT_EQ(c[last].memory, (Extents{{0x30000000 + 2 * 16 + 8, 8}, {0x30000000 + 3 * 16 + 8, 8}}));
  EXPECT_EQ(c[last - 4].memory, (Extents{{0x10000000 + 2 * 16 + 8, 8}, {0x10000000 + 3 * 16 + 8, 8}}));
  EXPECT_EQ(c[last - 3].memory, (Extents{{0x20000000 + 4 * 16 + 8, 8},
                                         {0x20000000 + 5 * 16 + 8, 8},
                                         {0x20000000 + 6 * 16 + 8, 8},
                                         {0x20000000 + 7 * 16 + 8, 8}}));
}

TEST_F(Gemm, EdgeTilesDoNoExtraWork) {
  const RecordingPe pe = run_at(pe_at(0, 0, 0), "gemm", args(5, 7, 3, {2, 4, 2}));
  EXPECT_EQ(macs(pe), 5 * 7 * 3);
  EXPECT_EQ(pe.commands().back().memory, (Extents{{0x30000000 + (4 * 3 + 2) * 2, 2}}));
}

TEST_F(Gemm, EachPeComputesItsRows) {
  std::int64_t all = 0;
  for (std::uint32_t p = 0; p < 4; ++p) {
    const RecordingPe pe = run_at(pe_at(0, 0, p), "gemm", args(8, 16, 4, {}, 4));
    EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x10000000 + p * 0x100000, 2 * 16 * 2}}));
    EXPECT_EQ(pe.commands()[1].memory, (Extents{{0x20000000 + p * 0x100000, 16 * 4 * 2}}));
    EXPECT_EQ(pe.commands()[3].memory, (Extents{{0x30000000 + p * 0x100000, 2 * 4 * 2}}));
    all += macs(pe);
  }
  EXPECT_EQ(all, 8 * 16 * 4);
  EXPECT_TRUE(run_at(pe_at(0, 1, 0), "gemm", args(8, 16, 4, {}, 4)).commands().empty());  // owns nothing
}

TEST_F(Gemm, SingleComputesEverythingWhereverItLies) {
  const RecordingPe pe = run_at(pe_at(0, 0, 3), "gemm_single", args(8, 16, 4, {}, 4));
  EXPECT_EQ(macs(pe), 8 * 16 * 4);
  EXPECT_EQ(pe.commands().back().memory.size(), 4u);
}

TEST_F(Gemm, ReferenceSizeFitsIntoOneMiB) {
  for (const Dtype dtype : {Dtype::f16, Dtype::i64}) {
    const Args whole_tensors{{"a", arg(whole("a", dtype, {512, 512}, 0))},
                             {"b", arg(whole("b", dtype, {512, 512}, 0x10000000))},
                             {"c", arg(whole("c", dtype, {512, 512}, 0x20000000))},
                             {"m", std::int64_t{512}},
                             {"k", std::int64_t{512}},
                             {"n", std::int64_t{512}}};
    const RecordingPe pe = run_at(pe_at(0, 0, 0), "gemm", whole_tensors);
    EXPECT_EQ(macs(pe), 512 * 512 * 512);
  }
}

TEST_F(Gemm, TilesLargerThanTheProblemAreCut) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run_at(pe_at(0, 0, 1), "gemm", args(8, 16, 4, {huge, huge, huge}, 4)).commands().size(), 4u);
}

TEST_F(Gemm, Mistakes) {
  Args bad = args(8, 16, 4, {});
  bad[4].value = std::int64_t{15};
  expect_program_error([&] { run_at(pe_at(0, 0, 0), "gemm", bad); }, "KERNEL_ERROR",
                       {"kernel gemm", "tensor 'a' is (8, 16)", "(8, 15)"});
  expect_program_error([&] { run_at(pe_at(0, 0, 0), "gemm", args(8, 16, 4, {0})); }, "KERNEL_ERROR", {"tile sizes"});
  Args columns = args(8, 16, 4, {});
  columns[1].value = arg(empty_layout("b", Dtype::f16, {16, 4}, {16, 2}));
  expect_program_error([&] { run_at(pe_at(0, 0, 0), "gemm", columns); }, "KERNEL_ERROR", {"tensor 'b'", "row_wise"});
  expect_program_error(
      [&] {
        run_at(pe_at(0, 0, 0), "gemm", args(2048, 1024, 1024, {1024, 1024, 1024}));
      },
      "OUT_OF_SCRATCH", {"kernel gemm, tl.empty", "smaller tiles"});
}

TEST(VectorAdd, EachPeAddsItsTiles) {
  const auto tensor = [](const char* name, std::uint64_t pa) { return row_wise(name, Dtype::f32, {4, 10}, pa, 2); };
  const Args args{{"a", arg(tensor("a", 0x1000000))},
                  {"b", arg(tensor("b", 0x2000000))},
                  {"c", arg(tensor("c", 0x3000000))},
                  {"tile", std::int64_t{16}}};
  const RecordingPe pe = run_at(pe_at(0, 0, 1), "vector_add", args);
  EXPECT_EQ(pe.command_names(), (Names{"dma_read", "dma_read", "math.add", "dma_write",  //
                                       "dma_read", "dma_read", "math.add", "dma_write"}));
  EXPECT_EQ(pe.commands()[3].memory, (Extents{{0x3100000, 64}}));
  EXPECT_EQ(pe.commands()[4].memory, (Extents{{0x1100040, 16}}));
  Args other = args;
  other[1].value = arg(whole("b", Dtype::f32, {10, 4}, 0));
  expect_program_error([&] { run_at(pe_at(0, 0, 1), "vector_add", other); }, "KERNEL_ERROR", {"one shape"});
}

TEST(Copy, CopiesARangeBetweenAnyPlaces) {
  LayoutPtr remote = whole("dst", Dtype::i32, {4, 4}, 0x5000000);
  remote->shards[0].owner = pe_at(1, 2, 3);
  const Args args{{"src", arg(whole("src", Dtype::i32, {4, 4}, 0x1000000))},
                  {"dst", arg(remote)},
                  {"elements", std::int64_t{10}},
                  {"src_offset", std::int64_t{3}},
                  {"dst_offset", std::int64_t{6}},
                  {"tile", std::int64_t{8}}};
  const RecordingPe pe = run_at(pe_at(0, 0, 0), "copy", args);
  EXPECT_EQ(pe.command_names(), (Names{"dma_read", "dma_write", "dma_read", "dma_write"}));
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x100000c, 32}}));
  EXPECT_EQ(pe.commands()[3].memory, (Extents{{0x5000000 + (6 + 8) * 4, 8}}));
  EXPECT_EQ(pe.commands()[0].local, (Extents{{RecordingPe::kScratchPa, 32}}));
  EXPECT_EQ(pe.commands()[2].local, (Extents{{RecordingPe::kScratchPa, 8}}));
  const Args beyond{args[0], args[1], {"elements", std::int64_t{17}}};
  expect_program_error([&] { run_at(pe_at(0, 0, 0), "copy", beyond); }, "ADDRESS_ERROR",
                       {"kernel copy", "tensor 'src'"});
  const Args all{args[0], args[1]};
  EXPECT_EQ(run_at(pe_at(0, 0, 0), "copy", all).commands()[0].memory, (Extents{{0x1000000, 64}}));
}

TEST(Copy, OffsetsOfAnySizeAreRefused) {
  const auto with = [](std::int64_t elements, std::int64_t from, std::int64_t to) {
    return Args{{"src", arg(whole("src", Dtype::i32, {4, 4}, 0x1000000))},
                {"dst", arg(whole("dst", Dtype::i32, {4, 4}, 0x5000000))},
                {"elements", elements},
                {"src_offset", from},
                {"dst_offset", to}};
  };
  const auto refused = [&](const Args& args, const std::string& code) {
    expect_program_error([&] { run_at(pe_at(0, 0, 0), "copy", args); }, code, {});
  };
  refused(with(1, INT64_MAX, 0), "ADDRESS_ERROR");
  refused(with(1, 0, INT64_MAX), "ADDRESS_ERROR");
  refused(with(1, INT64_MIN, 0), "KERNEL_ERROR");
  refused(with(INT64_MAX, 0, 0), "ADDRESS_ERROR");
}

TEST(Rotate, ShiftsOfAnySizeCountModuloTheElements) {
  const auto memory_of = [](std::int64_t shift) {
    const Args args{{"src", arg(whole("src", Dtype::i32, {1, 16}, 0x1000000))},
                    {"dst", arg(whole("dst", Dtype::i32, {1, 16}, 0x5000000))},
                    {"read_shift", shift},
                    {"write_shift", std::int64_t{0}}};
    return run_at(pe_at(0, 0, 0), "rotate", args).commands().at(0).memory;
  };
  EXPECT_EQ(memory_of(INT64_MAX), memory_of(15));  // 2^63 is a multiple of 16
  EXPECT_EQ(memory_of(INT64_MIN), memory_of(0));
}

TEST(GatherColumns, BlocksOfAnySizeAreRefused) {
  const std::int64_t big = INT64_C(1) << 32;  // whose square is a multiple of 2^64
  const Args args{{"src", arg(whole("src", Dtype::i32, {4, 4}, 0x1000000))},
                  {"dst", arg(whole("dst", Dtype::i32, {4, 4}, 0x5000000))},
                  {"width", big},
                  {"ranks", big}};
  expect_program_error([&] { run_at(pe_at(0, 0, 0), "gather_columns", args); }, "KERNEL_ERROR", {"are not blocks"});
}

TEST(Pull, FetchesTheOwnPart) {
  const Args args{{"src", arg(whole("src", Dtype::i32, {4, 4}, 0x1000000))},
                  {"dst", arg(row_wise("dst", Dtype::i32, {4, 4}, 0, 4))}};
  const RecordingPe pe = run_at(pe_at(0, 0, 2), "pull", args);
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x1000020, 16}}));
  EXPECT_EQ(pe.commands()[1].memory, (Extents{{0x200000, 16}}));
}

TEST(Noop, DoesNothingOrSpendsCycles) {
  EXPECT_TRUE(run_at(pe_at(0, 0, 0), "noop", {}).commands().empty());
  const RecordingPe pe = run_at(pe_at(0, 0, 0), "noop", {{"cycles", std::int64_t{100}}});
  ASSERT_EQ(pe.commands().size(), 1u);
  EXPECT_EQ(pe.commands()[0].cycles, 100);
}

TEST(Stream, MakesExactlyTheCallsAskedFor) {
  const LayoutPtr data = row_wise("data", Dtype::f16, {4, 32}, 0, 2);  // two places of 32 elements at each PE
  const RecordingPe pe = run_at(pe_at(0, 0, 1), "stream", {{"data", arg(data)}, {"calls", std::int64_t{7}}});
  EXPECT_EQ(pe.command_names(),
            (Names{"dma_read", "dma_write", "dma_read", "dma_write", "dma_read", "dma_write", "dma_read"}));
  EXPECT_EQ(pe.commands()[0].memory, (Extents{{0x100000, 64}}));
  EXPECT_EQ(pe.commands()[3].memory, (Extents{{0x100040, 64}}));
  EXPECT_EQ(pe.commands()[4].memory, (Extents{{0x100000, 64}}));
  expect_program_error(
      [&] {
        run_at(pe_at(0, 0, 1), "stream",
               {{"data", arg(data)}, {"calls", std::int64_t{7}}, {"elements", std::int64_t{65}}});
      },
      "KERNEL_ERROR", {"fit into the PE's shard"});
}

}  // namespace
}  // namespace kb::tests
