// Kernels of tensor-parallel layers on PEs without time: right for any sizes and placements (K-71 .. K-77).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "platform/contract/i_pe.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/tensor_layout.h"
#include "platform/data/reference.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using data::random_small_integers;
using Integer = std::int64_t;
using Numbers = std::vector<double>;

// The kernel on every PE of `cubes` cubes of `pes` PEs.
void run(Device& device, const std::string& kernel, const std::vector<contract::NamedArg>& args, std::uint32_t cubes,
         std::uint32_t pes) {
  for (std::uint32_t i = 0; i < cubes * pes; ++i) {
    contract::PeInfo info = tl::RecordingPe::default_info();
    info.coord = pe_at(0, i / pes, i % pes);
    info.cubes_per_sip = static_cast<int>(cubes);
    info.pes_per_cube = static_cast<int>(pes);
    info.scratch_pa = 0x900000000 + i * std::uint64_t{0x1000000};
    FunctionalPe pe(info, device.recorder);
    kernels::KernelCatalog().find(kernel)->run(pe, args);
  }
}

// Shards of equal size over cubes and PEs, in shard order; shard i lies at pa + i * 0x100000.
LayoutPtr split(std::string name, Dtype dtype, const Shape& shape, const Shape& shard, std::uint64_t pa,
                std::uint32_t pes) {
  LayoutPtr layout = empty_layout(std::move(name), dtype, shape, shard);
  const std::uint64_t part = static_cast<std::uint64_t>(element_count(shard)) * item_size(dtype);
  for (std::uint32_t i = 0; i * part < layout->nbytes; ++i) {
    layout->shards.push_back({pe_at(0, i / pes, i % pes), pa + i * std::uint64_t{0x100000}, part, i * part});
  }
  return layout;
}

Numbers copy_in_cube(Device& device, const contract::TensorLayout& tensor, std::uint32_t cube) {
  std::vector<Extent> extents;
  tl::ShardMap(tensor, pe_at(0, cube, 0)).append(0, tensor.nbytes, extents);
  return data::to_doubles(tensor.dtype, device.engine.read(extents));
}

// The elements of a tensor split by columns, as an all_gather of the ranks' tensors leaves them: cube by cube, in it
// rank by rank, each (m, width).
Numbers as_gathered(const Numbers& matrix, Integer m, Integer n, Integer ranks, Integer cubes) {
  const Integer width = n / (ranks * cubes);
  Numbers out;
  for (Integer cube = 0; cube < cubes; ++cube) {
    for (Integer rank = 0; rank < ranks; ++rank) {
      const Integer column = (rank * cubes + cube) * width;
      for (Integer row = 0; row < m; ++row) {
        for (Integer i = 0; i < width; ++i) out.push_back(matrix[static_cast<std::size_t>(row * n + column + i)]);
      }
    }
  }
  return out;
}

TEST(GatherColumns, MakesWholeRowsInEveryCube_K77) {
  EXPECT_TRUE(rc::check("any blocks", [] {
    const Integer m = *rc::gen::inRange<Integer>(1, 6), width = *rc::gen::inRange<Integer>(1, 4);
    const Integer ranks = *rc::gen::inRange<Integer>(1, 5), cubes = *rc::gen::inRange<Integer>(1, 6);
    const auto copies = *rc::gen::inRange<std::uint32_t>(1, 4);
    const Integer n = width * ranks * cubes;
    Device device;
    const LayoutPtr src = split("src", Dtype::i32, {m, n}, {m, n / cubes}, 0x100000000, 1);
    const LayoutPtr dst = replicated("dst", Dtype::i32, {m, n}, 0x200000000, copies, 1);
    const Numbers matrix = random_small_integers(7, static_cast<std::size_t>(m * n));
    device.write(*src, as_gathered(matrix, m, n, ranks, cubes));
    run(device, "gather_columns", {{"src", as_arg(src)}, {"dst", as_arg(dst)}, {"width", width}, {"ranks", ranks}},
        copies, 3);
    for (std::uint32_t cube = 0; cube < copies; ++cube) RC_ASSERT(copy_in_cube(device, *dst, cube) == matrix);
  }));
}

TEST(GatherColumns, PiecesLargerThanTheScratchGoInParts) {
  Device device;
  const LayoutPtr src = split("src", Dtype::f32, {300, 1024}, {300, 512}, 0x100000000, 1);
  const LayoutPtr dst = whole("dst", Dtype::f32, {300, 1024}, 0x200000000);
  const Numbers matrix = random_small_integers(8, 300 * 1024);
  device.write(*src, as_gathered(matrix, 300, 1024, 1, 2));
  run(device, "gather_columns",
      {{"src", as_arg(src)}, {"dst", as_arg(dst)}, {"width", Integer{512}}, {"ranks", Integer{1}}}, 1, 2);
  EXPECT_EQ(device.read(*dst), matrix);
}

TEST(GatherColumns, RefusesBlocksThatDoNotFit) {
  Device device;
  const LayoutPtr src = column_wise("src", Dtype::f32, {2, 8}, 0x10000000, 2);
  const LayoutPtr dst = whole("dst", Dtype::f32, {2, 8}, 0x20000000);
  const auto call = [&](Integer width, Integer ranks) {
    run(device, "gather_columns", {{"src", as_arg(src)}, {"dst", as_arg(dst)}, {"width", width}, {"ranks", ranks}}, 1,
        2);
  };
  expect_program_error([&] { call(3, 1); }, "KERNEL_ERROR", {"8 columns are not blocks of 3 columns of 1 ranks"});
  expect_program_error([&] { call(4, 3); }, "KERNEL_ERROR", {"of 3 ranks"});
}

TEST(CollectColumns, MakesATilePerCube) {
  EXPECT_TRUE(rc::check("any tiles", [] {
    const Integer m = *rc::gen::inRange<Integer>(1, 300), width = *rc::gen::inRange<Integer>(1, 300);
    const Integer cubes = *rc::gen::inRange<Integer>(1, 4), pes = *rc::gen::inRange<Integer>(1, 5);
    const Integer n = width * cubes * pes;
    Device device;
    const LayoutPtr src = split("src", Dtype::f32, {m, n}, {m, width}, 0x100000000, static_cast<std::uint32_t>(pes));
    const LayoutPtr dst = split("dst", Dtype::f32, {m, n}, {m, width * pes}, 0x200000000, 1);
    const Numbers matrix = random_small_integers(7, static_cast<std::size_t>(m * n));
    device.write(*src, as_gathered(matrix, m, n, 1, cubes * pes));
    run(device, "collect_columns", {{"src", as_arg(src)}, {"dst", as_arg(dst)}}, static_cast<std::uint32_t>(cubes), 5);
    RC_ASSERT(device.read(*dst) == as_gathered(matrix, m, n, 1, cubes));
  }));
}

TEST(SliceColumns, TakesTheColumnsOfOneRank_K77) {
  Device device;
  const LayoutPtr src = row_wise("src", Dtype::i16, {4, 6}, 0x10000000, 2);
  const LayoutPtr dst = row_wise("dst", Dtype::i16, {4, 2}, 0x20000000, 4);
  Numbers matrix(24), expected;
  for (std::size_t i = 0; i < 24; ++i) matrix[i] = static_cast<double>(i);
  for (const double row : {0, 6, 12, 18}) expected.insert(expected.end(), {row + 3, row + 4});
  device.write(*src, matrix);
  run(device, "slice_columns", {{"src", as_arg(src)}, {"dst", as_arg(dst)}, {"first", Integer{3}}}, 1, 4);
  EXPECT_EQ(device.read(*dst), expected);
  expect_program_error(
      [&] {
        run(device, "slice_columns", {{"src", as_arg(src)}, {"dst", as_arg(dst)}, {"first", Integer{5}}}, 1, 4);
      },
      "KERNEL_ERROR", {"no 2 columns from 5 on"});
}

double reference(const std::string& function, double x, double y) {
  if (function == "add") return x + y;
  if (function == "relu") return std::max(x, 0.0);
  if (function == "gelu") return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3))));
  if (function == "silu") return x / (1 + std::exp(-x));
  return x / (1 + std::exp(-x)) * y;
}

TEST(Pointwise, ComputesInF32AndRoundsOnce) {
  for (const char* function : {"add", "relu", "gelu", "silu", "swiglu"}) {
    const bool two = std::string(function) == "add" || std::string(function) == "swiglu";
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
      Device device;
      const LayoutPtr x = column_wise("x", dtype, {50, 400}, 0x100000000, 2);
      const LayoutPtr y = column_wise("y", dtype, {50, 400}, 0x200000000, 2);
      const LayoutPtr out = column_wise("out", dtype, {50, 400}, 0x300000000, 2);
      Numbers a, b;
      for (int i = 0; i < 20000; ++i) {
        a.push_back((i - 10000) / 1024.0);
        b.push_back((i % 37 - 18) / 16.0);
      }
      a = data::to_doubles(dtype, data::from_doubles(dtype, a));
      device.write(*x, a);
      device.write(*y, b);
      std::vector<contract::NamedArg> args{{"function", function}, {"x", as_arg(x)}, {"out", as_arg(out)}};
      if (two) args.push_back({"y", as_arg(y)});
      run(device, "pointwise", args, 1, 2);
      const Numbers actual = device.read(*out);
      const double unit = dtype == Dtype::f16 ? 0x1p-11 : dtype == Dtype::bf16 ? 0x1p-8 : 0x1p-24;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double expected = reference(function, a[i], b[i]);
        ASSERT_NEAR(actual[i], expected, std::abs(expected) * unit + std::abs(a[i]) * 16 * 0x1p-24 + 0x1p-24)
            << function << dtype_name(dtype) << " of " << a[i] << ", " << b[i];
      }
    }
  }
}

TEST(Pointwise, NamesTheFunctionsThatItHas) {
  Device device;
  const LayoutPtr x = whole("x", Dtype::f32, {1, 4}, 0x10000000), out = whole("out", Dtype::f32, {1, 4}, 0x20000000);
  expect_program_error(
      [&] {
        run(device, "pointwise", {{"function", "gulu"}, {"x", as_arg(x)}, {"out", as_arg(out)}}, 1, 1);
      },
      "KERNEL_ERROR", {"'gulu' is not a function of one tensor", "gelu"});
}

TEST(AddBias, AddsItsColumnsOnce) {
  Device device;
  const LayoutPtr x = column_wise("x", Dtype::f32, {3, 4}, 0x10000000, 2);
  const LayoutPtr bias = column_wise("bias", Dtype::f32, {1, 4}, 0x20000000, 2);
  device.write(*x, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});  // shards (3, 2)
  device.write(*bias, {10, 20, 30, 40});
  run(device, "add_bias", {{"x", as_arg(x)}, {"bias", as_arg(bias)}, {"out", as_arg(x)}}, 1, 2);
  EXPECT_EQ(device.read(*x), (Numbers{11, 22, 13, 24, 15, 26, 37, 48, 39, 50, 41, 52}));
  const LayoutPtr all = whole("bias", Dtype::f32, {1, 4}, 0x30000000);
  expect_program_error(
      [&] {
        run(device, "add_bias", {{"x", as_arg(x)}, {"bias", as_arg(all)}, {"out", as_arg(x)}}, 1, 2);
      },
      "KERNEL_ERROR", {"the bias must be split by columns like the result"});
}

TEST(Embedding, GivesRowsByIdAndZeroForIdsOfOthers) {
  for (const Dtype dtype : {Dtype::f16, Dtype::f32}) {
    Device device;
    const Integer rows = 300, m = 70, n = 600, first = 300;  // more than one product in every dimension
    const LayoutPtr ids = whole("ids", Dtype::i32, {1, m}, 0x10000000);
    const LayoutPtr table = column_wise("table", dtype, {rows, n}, 0x20000000, 2);
    const LayoutPtr out = column_wise("out", dtype, {m, n}, 0x40000000, 2);
    const Numbers values = random_small_integers(9, static_cast<std::size_t>(rows * n));  // in shard order
    Numbers wanted, expected;
    for (Integer i = 0; i < m; ++i) wanted.push_back(static_cast<double>(i * 41 % 900));
    for (Integer shard = 0; shard < 2; ++shard) {
      for (const double id : wanted) {
        const Integer row = static_cast<Integer>(id) - first;
        for (Integer i = 0; i < n / 2; ++i) {
          const bool here = row >= 0 && row < rows;
          expected.push_back(here ? values[static_cast<std::size_t>((shard * rows + row) * n / 2 + i)] : 0.0);
        }
      }
    }
    device.write(*ids, wanted);
    device.write(*table, values);
    run(device, "embedding", {{"ids", as_arg(ids)}, {"table", as_arg(table)}, {"out", as_arg(out)}, {"first", first}},
        1, 2);
    EXPECT_EQ(device.read(*out), expected) << dtype_name(dtype);
  }
}

struct AttentionCase {
  Integer m, heads, kv_heads, d;
  bool causal;
};

Numbers attention_reference(const AttentionCase& c, const Numbers& qkv) {
  const Integer width = (c.heads + 2 * c.kv_heads) * c.d;
  const auto at = [&](Integer row, Integer head, Integer i) {
    return qkv[static_cast<std::size_t>(row * width + head * c.d + i)];
  };
  Numbers out;
  for (Integer row = 0; row < c.m; ++row) {
    for (Integer head = 0; head < c.heads; ++head) {
      const Integer k = c.heads + head / (c.heads / c.kv_heads), v = k + c.kv_heads;
      Numbers weights;
      double sum = 0;
      for (Integer key = 0; key < (c.causal ? row + 1 : c.m); ++key) {
        double score = 0;
        for (Integer i = 0; i < c.d; ++i) score += at(row, head, i) * at(key, k, i);
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(c.d))));
        sum += weights.back();
      }
      for (Integer i = 0; i < c.d; ++i) {
        double value = 0;
        for (std::size_t key = 0; key < weights.size(); ++key) {
          value += weights[key] / sum * at(static_cast<Integer>(key), v, i);
        }
        out.push_back(value);
      }
    }
  }
  return out;
}

void check_attention(const AttentionCase& c, std::uint32_t cubes, std::uint32_t pes) {
  Device device;
  const Integer width = (c.heads + 2 * c.kv_heads) * c.d;
  const LayoutPtr qkv = whole("qkv", Dtype::f32, {c.m, width}, 0x100000000);
  const LayoutPtr out = whole("out", Dtype::f32, {c.m, c.heads * c.d}, 0x200000000);
  Numbers values = random_small_integers(11, static_cast<std::size_t>(c.m * width));
  for (double& value : values) value /= 4;
  device.write(*qkv, values);
  run(device, "self_attention",
      {{"qkv", as_arg(qkv)},
       {"out", as_arg(out)},
       {"heads", c.heads},
       {"kv_heads", c.kv_heads},
       {"d", c.d},
       {"causal", Integer{c.causal ? 1 : 0}}},
      cubes, pes);
  const Numbers actual = device.read(*out), expected = attention_reference(c, values);
  for (std::size_t i = 0; i < expected.size(); ++i) RC_ASSERT(std::abs(actual[i] - expected[i]) < 1e-4);
}

TEST(SelfAttention, EqualsTheReferenceForAnySizes) {
  EXPECT_TRUE(rc::check("heads, tokens, mask", [] {
    AttentionCase c{};
    c.kv_heads = *rc::gen::inRange<Integer>(1, 3);
    c.heads = c.kv_heads * *rc::gen::inRange<Integer>(1, 4);
    c.m = *rc::gen::inRange<Integer>(1, 12);
    c.d = *rc::gen::inRange<Integer>(1, 9);
    c.causal = *rc::gen::arbitrary<bool>();
    check_attention(c, *rc::gen::inRange<std::uint32_t>(1, 3), *rc::gen::inRange<std::uint32_t>(1, 4));
  }));
}

TEST(SelfAttention, KeysInSeveralBlocksAndMasksAcrossThem) {
  EXPECT_TRUE(rc::check("600 tokens", [] { check_attention({600, 1, 1, 4, true}, 1, 2); }));
}

// Two buffers for blocks of 256 keys of 256 f32 would fill the scratch.
TEST(SelfAttention, LongRowsFitScratch) {
  for (const Integer d : {128, 256}) EXPECT_NO_THROW(check_attention({300, 1, 1, d, false}, 1, 2)) << d;
}

}  // namespace
}  // namespace kb::tests
