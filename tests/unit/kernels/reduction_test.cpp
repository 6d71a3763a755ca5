// How collectives combine contributions (K-15), with all-reduces over a ring and a tree of PEs.
#include "kernels/collective/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "platform/contract/tensor_layout.h"
#include "tests/unit/kernels/mailbox_machine.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {
namespace {

// The tile of every rank afterwards, as bytes.
std::vector<std::vector<std::byte>> all_reduced(const std::string& kernel, const std::string& op, Dtype dtype,
                                                const std::vector<Numbers>& tiles) {
  const auto ranks = static_cast<std::uint32_t>(tiles.size());
  const auto n_elem = static_cast<std::int64_t>(tiles.front().size());
  std::vector<PeCoord> coords;
  std::map<MailboxMachine::Port, MailboxMachine::Port> links;
  const auto link = [&](std::size_t from, const char* label, std::size_t to, const char* there) {
    links[{from, label}] = {to, there};
    links[{to, there}] = {from, label};
  };
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    coords.push_back(pe_at(0, 0, rank));
    links[{rank, "E"}] = {(rank + 1) % ranks, "W"};
    if (2 * rank + 1 < ranks) link(rank, "child_l", 2 * rank + 1, "parent");
    if (2 * rank + 2 < ranks) link(rank, "child_r", 2 * rank + 2, "parent");
  }
  Device device;
  const LayoutPtr t = row_wise("t", dtype, {ranks, n_elem}, 0x100000000, ranks);
  Numbers all;
  for (const Numbers& tile : tiles) all.insert(all.end(), tile.begin(), tile.end());
  device.write(*t, all);
  MailboxMachine machine(device, coords, static_cast<int>(ranks), 1, 2, links);
  machine.run(*kernels::KernelCatalog().find(kernel), {{"t", as_arg(t)},
                                                       {"n_elem", n_elem},
                                                       {"ranks", std::int64_t{ranks}},
                                                       {"first_rank", std::int64_t{0}},
                                                       {"op", op},
                                                       {"chunk", std::int64_t{2}}});
  std::vector<std::vector<std::byte>> out;
  for (const contract::Shard& shard : t->shards) out.push_back(device.engine.read({{shard.pa, shard.nbytes}}));
  return out;
}

void expect_all(const std::string& op, Dtype dtype, const std::vector<Numbers>& tiles, const Numbers& want) {
  for (const char* const kernel : {"ring_allreduce", "tree_allreduce"}) {
    for (const auto& tile : all_reduced(kernel, op, dtype, tiles)) {
      EXPECT_EQ(tile, data::from_doubles(dtype, want)) << kernel << " " << op << " " << dtype_name(dtype);
    }
  }
}

TEST(Reduction, AnAverageThatFitsDoesNotOverflow) {
  const Numbers large{60000, -60000, 65504};
  expect_all("avg", Dtype::f16, {large, large, large, large}, large);
  expect_all("avg", Dtype::f16, {large, large, large}, large);
  expect_all("avg", Dtype::f16, {{60000}, {60000}, {0}, {0}, {30000}}, {30000});
  const double huge = std::ldexp(1.5, 127);
  expect_all("avg", Dtype::bf16, {{huge}, {huge}, {huge}}, {huge});
  expect_all("avg", Dtype::f32, {{huge}, {huge}, {huge}, {huge}, {huge}, {huge}}, {huge});
}

TEST(Reduction, AnAverageOfNarrowIntegersIsAddedInI32) {
  expect_all("avg", Dtype::i8, {{100, -128, 127}, {120, -128, 127}, {111, -128, 126}}, {110, -128, 126});
  expect_all("avg", Dtype::i16, {{30000}, {32000}, {-2}, {32767}}, {23691});
  expect_all("avg", Dtype::i32, {{7}, {8}}, {7});
}

TEST(Reduction, SumsMaximaAndMinimaStay) {
  expect_all("sum", Dtype::i8, {{100, 1}, {100, 2}, {1, 3}}, {-55, 6});
  expect_all("sum", Dtype::f16, {{40000}, {40000}}, {HUGE_VAL});
}

// Ranks add in different orders, but the larger of two zeros is the same for all.
TEST(Reduction, RanksAgreeOnTheSignOfZeroAndOnNaN) {
  const double nan = std::nan("");
  expect_all("max", Dtype::f16, {{0.0, -0.0, nan, 1}, {-0.0, -0.0, 2, nan}, {-1.0, -0.0, 3, -5}},
             {0.0, -0.0, nan, nan});
  expect_all("min", Dtype::f32, {{0.0, 0.0, nan, 1}, {-0.0, 0.0, 2, nan}, {1.0, 0.0, 3, -5}}, {-0.0, 0.0, nan, nan});
}

}  // namespace
}  // namespace kb::tests
