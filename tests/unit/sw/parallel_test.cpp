// Layers of a tensor-parallel model on a machine without hardware: what they place, launch and refuse.
#include "sw/parallel/parallel.h"

#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "sw/parallel/layouts.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

class ParallelTest : public ::testing::Test {
 protected:
  // In both ranks, each bound to its SIP.
  void in_ranks(const std::function<void(int rank)>& body) {
    spawn(rt, 2, [&](int rank) {
      rt.set_device(rank);
      body(rank);
    });
  }
  std::string refused(const std::string& code, const std::function<void(int rank)>& body) {
    return error_of([&] { in_ranks(body); }, code);
  }
  Tensor rows(std::int64_t m, std::int64_t n, Dtype dtype = Dtype::f16) {
    return rt.zeros({m, n}, dtype, copy_per_cube(rt.machine(), m), "X");
  }
  std::vector<std::string> launched(int sip) const {
    std::vector<std::string> kernels;
    for (const auto& launch : host.launches) {
      if (static_cast<int>(launch->sip.value) == sip) kernels.push_back(launch->kernel);
    }
    return kernels;
  }
  FakeHost host;  // 2 SIPs of 2 x 2 cubes of 2 PEs
  const kernels::KernelCatalog catalog;
  Runtime rt{host, &catalog};
  ProcessGroup group{rt};
  ModelParallel mp{rt, group};
};

TEST(ParallelLayouts, SpreadOverAsManyUnitsAsDivide_K74) {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.cubes_per_sip = 16;
  machine.pes_per_cube = 8;
  struct Case {
    std::int64_t columns;
    int cubes, pes;
  };
  for (const Case& c : {Case{2048, 16, 8}, Case{128, 16, 8}, Case{96, 16, 6}, Case{100, 10, 5}, Case{97, 1, 1},
                        Case{12, 12, 1}, Case{7, 7, 1}, Case{1, 1, 1}, Case{143, 13, 1}}) {
    const DPPolicy policy = split_columns(machine, c.columns);
    EXPECT_EQ(policy.num_cubes, c.cubes) << c.columns;
    EXPECT_EQ(policy.num_pes, c.pes) << c.columns;
    EXPECT_EQ(split_rows(machine, c.columns).num_cubes, c.cubes);
  }
  EXPECT_EQ(copy_per_cube(machine, 12).num_pes, 6);
  EXPECT_EQ(copy_per_cube(machine, 1).num_pes, 1);
}

TEST_F(ParallelTest, TheGroupIsTheModelsRanks_K70) {
  EXPECT_EQ(mp.size(), 2);
  EXPECT_EQ(ModelParallel(rt, group, 2).size(), 2);
  EXPECT_THAT(error_of([&] { ModelParallel(rt, group, 3); }, "COLLECTIVE_ERROR"),
              HasSubstr("a model on 3 ranks, but its process group has 2"));
}

TEST_F(ParallelTest, AModelCanLieOnSomeOfTheRanks_K70) {
  ModelParallel part(rt, group.new_group({1}, "part"));
  EXPECT_EQ(part.size(), 1);
  in_ranks([&](int rank) {
    if (rank == 0) return;
    EXPECT_EQ(part.rank(), 0);
    EXPECT_EQ(RowParallelLinear(part, 8, 16).forward(rows(2, 8)).shape(), (Shape{2, 16}));
  });
  EXPECT_THAT(launched(0), ElementsAre());
  EXPECT_THAT(launched(1), ElementsAre("linear"));
  EXPECT_THAT(refused("COLLECTIVE_ERROR", [&](int) { RowParallelLinear(part, 8, 16); }), HasSubstr("'part'"));
}

TEST_F(ParallelTest, ColumnParallelHoldsItsColumnsAndLaunchesOnce_K71) {
  in_ranks([&](int rank) {
    LinearOptions options;
    options.bias = true;
    const ColumnParallelLinear layer(mp, 4, 32, options);
    EXPECT_EQ(layer.weight().shape(), (Shape{4, 16}));
    EXPECT_EQ(layer.bias().shape(), (Shape{1, 16}));
    HostArray weight({4, 32}, Dtype::f16), bias({1, 32}, Dtype::f16);
    std::vector<double> values(128);
    for (std::size_t i = 0; i < 128; ++i) values[i] = static_cast<double>(i);
    layer.load(HostArray::from_doubles({4, 32}, Dtype::f16, values), bias);
    const HostArray own = layer.weight().to_host();
    EXPECT_EQ(own.at(0, 0), 16 * rank);
    EXPECT_EQ(own.at(3, 15), 96 + 16 * rank + 15);
    const Tensor y = layer.forward(rows(6, 4));
    EXPECT_EQ(y.shape(), (Shape{6, 16}));
    EXPECT_EQ(y.placement().size(), 8u);  // all PEs of the SIP
  });
  EXPECT_THAT(launched(0), ElementsAre("linear"));
  EXPECT_THAT(launched(1), ElementsAre("linear"));
}

TEST_F(ParallelTest, PartsOfAnOutputAreSplitEachByItself) {
  in_ranks([&](int rank) {
    LinearOptions options;
    options.parts = {4, 2, 2};
    const ColumnParallelLinear layer(mp, 1, 8, options);
    layer.load(HostArray::from_doubles({1, 8}, Dtype::f16, {0, 1, 2, 3, 4, 5, 6, 7}));
    const std::vector<double> expected = rank == 0 ? std::vector<double>{0, 1, 4, 6} : std::vector<double>{2, 3, 5, 7};
    EXPECT_EQ(layer.weight().to_host().to_doubles(), expected);
  });
}

TEST_F(ParallelTest, RowParallelSumsOverRanksThenAddsTheBias_K72_K75) {
  in_ranks([&](int) {
    LinearOptions options;
    options.bias = true;
    const RowParallelLinear layer(mp, 8, 16, options);
    EXPECT_EQ(layer.weight().shape(), (Shape{4, 16}));
    EXPECT_EQ(layer.bias().shape(), (Shape{1, 16}));
    EXPECT_EQ(layer.forward(rows(6, 4)).shape(), (Shape{6, 16}));
  });
  for (const int sip : {0, 1}) EXPECT_THAT(launched(sip), ElementsAre("linear", "direct_allreduce", "add_bias"));
  std::vector<std::string> names;
  for (const ParallelStep& step : mp.steps(1)) names.push_back(step.name);
  EXPECT_THAT(names, ElementsAre("linear: linear", "linear: all_reduce", "linear: bias"));
}

TEST_F(ParallelTest, WhatTheNextLayerReadsIsMadeWholeFirst_K77) {
  in_ranks([&](int) {
    LinearOptions gather;
    gather.gather_output = true;
    const Tensor y = ColumnParallelLinear(mp, 4, 32, gather).forward(rows(6, 4));
    EXPECT_EQ(y.shape(), (Shape{6, 32}));
    EXPECT_TRUE(has_whole_rows(y));
    LinearOptions whole;
    whole.input_is_parallel = false;
    RowParallelLinear(mp, 32, 8, whole).forward(y);
    const ColumnParallelLinear split(mp, 4, 32);
    RowParallelLinear(mp, 32, 8).forward(split.forward(rows(6, 4)));
  });
  EXPECT_THAT(launched(1), ElementsAre("linear", "collect_columns", "direct_all_gather", "gather_columns",
                                       "slice_columns", "linear", "direct_allreduce", "linear", "collect_columns",
                                       "gather_columns", "linear", "direct_allreduce"));
}

TEST_F(ParallelTest, SeedsGiveTheSameModelToAnyNumberOfRanks) {
  in_ranks([&](int rank) {
    LinearOptions options;
    options.seed = 5;
    const HostArray whole = seeded_weight(8, 4, Dtype::f16, 5);
    const HostArray own = RowParallelLinear(mp, 8, 4, options).weight().to_host();
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(own.at(i, 3), whole.at(4 * rank + i, 3));
  });
  double largest = 0;
  for (const double value : seeded_weight(64, 64, Dtype::f32, 1).to_doubles()) largest = std::max(largest, value);
  EXPECT_GT(largest, 0.12);
  EXPECT_LE(largest, 0.125);  // 1 / sqrt(64)
}

TEST_F(ParallelTest, SizesThatDoNotFitAreExplained) {
  EXPECT_THAT(refused("SHAPE_ERROR", [&](int) { ColumnParallelLinear(mp, 4, 33); }),
              HasSubstr("linear: out features = 33 cannot be split evenly over the 2 ranks"));
  EXPECT_THAT(refused("SHAPE_ERROR", [&](int) { RowParallelLinear(mp, 5, 4); }), HasSubstr("linear: in features = 5"));
  EXPECT_THAT(refused("SHAPE_ERROR", [&](int) { VocabParallelEmbedding(mp, 9, 4); }),
              HasSubstr("embedding: rows of the table = 9"));
  EXPECT_THAT(refused("SHAPE_ERROR", [&](int) { RowParallelLinear(mp, 8, 4).forward(rows(2, 8)); }),
              HasSubstr("linear: 'X' (2, 8) has 8 columns, the layer takes 4"));
  EXPECT_THAT(refused("DTYPE_ERROR", [&](int) { RowParallelLinear(mp, 8, 4).forward(rows(2, 4, Dtype::f32)); }),
              HasSubstr("linear works in f16, tensor 'X' holds f32"));
  EXPECT_THAT(refused("SHAPE_ERROR",
                      [&](int) {
                        ColumnParallelLinear(mp, 4, 8).load(HostArray({8, 4}, Dtype::f16));
                      }),
              HasSubstr("linear: its weight is (4, 8), not (8, 4)"));
  EXPECT_THAT(
      refused("SCHEMA_ERROR",
              [&](int) {
                ColumnParallelLinear(mp, 4, 8).load(HostArray({4, 8}, Dtype::f16), HostArray({1, 8}, Dtype::f16));
              }),
      HasSubstr("linear has no bias"));
  EXPECT_THAT(refused("TENSOR_ERROR", [&](int) { ColumnParallelLinear(mp, 4, 8).forward(Tensor()); }),
              HasSubstr("linear needs a tensor on the device"));
  EXPECT_THAT(refused("SHAPE_ERROR", [&](int) { add(mp, rows(2, 4), rows(2, 6)); }), HasSubstr("must have one shape"));
  EXPECT_THAT(refused("DTYPE_ERROR", [&](int) { gelu(mp, rows(2, 4, Dtype::i32)); }),
              HasSubstr("gelu works on floats"));
  EXPECT_THAT(refused("SHAPE_ERROR",
                      [&](int) {
                        self_attention(mp, rows(2, 9), {1, 1, 4, true});
                      }),
              HasSubstr("does not hold 1 query and 1 K/V heads of 4"));
  EXPECT_THAT(error_of([] { activation_named("gelo"); }, "SCHEMA_ERROR"), HasSubstr("did you mean 'gelu'"));
}

TEST_F(ParallelTest, TheDeviceMustBeTheRanksOwn_K80) {
  EXPECT_THAT(error_of([&] { spawn(rt, 2, [&](int) { ColumnParallelLinear(mp, 4, 8); }); }, "DEVICE_ERROR"),
              HasSubstr("linear: rank 1 owns SIP 1, but its tensors would go to SIP 0; call set_device(1)"));
  std::vector<Tensor> first(2);
  EXPECT_THAT(refused("LAYOUT_ERROR",
                      [&](int rank) {
                        first[static_cast<std::size_t>(rank)] = rows(2, 4);
                        group.barrier();
                        ColumnParallelLinear(mp, 4, 8).forward(first[0]);
                      }),
              HasSubstr("tensor 'X' lies on SIP 0, the rank works on SIP 1"));
}

TEST_F(ParallelTest, RanksThatDisagreeAreNamed) {
  EXPECT_THAT(refused("COLLECTIVE_ERROR", [&](int rank) { RowParallelLinear(mp, 8, 4).forward(rows(2 + rank, 4)); }),
              AllOf(HasSubstr("the ranks disagree"), HasSubstr("rank 0"), HasSubstr("rank 1")));
}

TEST_F(ParallelTest, TokensOutsideOfTheTableAreNamed) {
  const auto look_up = [&](const HostArray& ids, bool on_device) {
    const VocabParallelEmbedding table(mp, 8, 4);
    Tensor tensor = rt.from_host(ids, "ids");
    if (on_device) {
      tensor = rt.empty(ids.shape(), ids.dtype(), copy_per_cube(rt.machine(), 1), "ids");
      tensor.copy_(ids);
    }
    table.forward(tensor);
  };
  for (const bool on_device : {false, true}) {
    EXPECT_THAT(refused("VALUE_ERROR",
                        [&](int) {
                          look_up(HostArray::from_doubles({1, 3}, Dtype::i32, {0, 7, 8}), on_device);
                        }),
                HasSubstr("embedding: id 8 at position 2 is not a row of the table, which has rows 0 to 7"));
  }
  EXPECT_THAT(refused("VALUE_ERROR",
                      [&](int) {
                        look_up(HostArray::from_doubles({1, 1}, Dtype::i64, {-1}), false);
                      }),
              HasSubstr("id -1"));
  EXPECT_THAT(refused("DTYPE_ERROR",
                      [&](int) {
                        look_up(HostArray({1, 2}, Dtype::f16), false);
                      }),
              HasSubstr("ids are i32 or i64, not f16"));
  EXPECT_THAT(refused("SHAPE_ERROR",
                      [&](int) {
                        look_up(HostArray({2, 2}, Dtype::i32), false);
                      }),
              HasSubstr("ids are (1, m)"));
}

TEST_F(ParallelTest, BlocksThatAreNeitherRowsNorColumnsAreRefused) {
  DPPolicy blocks;
  blocks.cube = Split::column_wise;
  blocks.pe = Split::row_wise;
  EXPECT_THAT(refused("LAYOUT_ERROR",
                      [&](int) {
                        const Tensor x = rt.zeros({2, 8}, Dtype::f16, blocks, "X");
                        ColumnParallelLinear(mp, 8, 4).forward(x);
                      }),
              HasSubstr("split into blocks of (1, 2) of its (2, 8)"));
}

}  // namespace
}  // namespace kb::sw
