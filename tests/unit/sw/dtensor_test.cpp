// What distributed tensors do without a machine: plans, shapes, mistakes (K-81). Their contents:
// tests/machine/cli/redistribute_test.cpp.
#include "sw/distributed/dtensor.h"

#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "sw/distributed/dtensor_steps.h"
#include "sw/distributed/spawn.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Placement kAll = Placement::replicate(), kRows = Placement::shard(0), kCols = Placement::shard(1),
                kSum = Placement::partial("sum");

contract::MachineInfo six_sips() {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.sips = 6;
  return machine;
}

class DTensorTest : public ::testing::Test {
 protected:
  static HostArray values(std::int64_t rows = 12, std::int64_t cols = 24) {
    return HostArray::random_integers({rows, cols}, Dtype::f16, 1);
  }
  std::string fail(const std::string& code, const std::function<void()>& body) {
    return error_of([&] { spawn(rt, 6, [&](int rank) { rt.set_device(rank), body(); }); }, code);
  }
  FakeHost host{six_sips()};
  const kernels::KernelCatalog catalog;
  Runtime rt{host, &catalog};
  ProcessGroup world{rt};
  DeviceMesh mesh{world, {{"dp", 2}, {"tp", 3}}};
};

std::vector<std::string> plan(const Placements& from, const Placements& to) {
  std::vector<std::string> steps;
  for (const PlacementStep& step : redistribution(from, to)) {
    steps.push_back(std::to_string(step.axis) + " " + to_string({step.to}));
  }
  return steps;
}

TEST(RedistributionTest, OneAxisTakesOneStep) {
  for (const Placement& from : {kAll, kRows, kCols, kSum}) {
    for (const Placement& to : {kAll, kRows, kCols, kSum}) {
      if (from == to) {
        EXPECT_THAT(plan({from}, {to}), IsEmpty());
      } else if (from.kind == Placement::Kind::shard && to == kSum) {
        EXPECT_THAT(plan({from}, {to}), ElementsAre("0 [Replicate]", "0 [Partial(sum)]"));
      } else {
        EXPECT_THAT(plan({from}, {to}), ElementsAre("0 " + to_string({to})));
      }
    }
  }
}

TEST(RedistributionTest, PartialsAreCombinedBeforeOthersAreGathered) {
  EXPECT_THAT(plan({kRows, kSum}, {kAll, kAll}), ElementsAre("1 [Replicate]", "0 [Replicate]"));
  EXPECT_THAT(plan({kSum, kRows}, {kCols, kAll}), ElementsAre("1 [Replicate]", "0 [Shard(1)]"));
}

TEST(RedistributionTest, AnInnerAxisMakesRoomForAnOuterOne) {
  EXPECT_THAT(plan({kRows, kRows}, {kAll, kRows}), ElementsAre("1 [Replicate]", "0 [Replicate]", "1 [Shard(0)]"));
  EXPECT_THAT(plan({kAll, kRows}, {kRows, kRows}), ElementsAre("1 [Replicate]", "0 [Shard(0)]", "1 [Shard(0)]"));
  EXPECT_THAT(plan({kRows, kRows}, {kRows, kAll}), ElementsAre("1 [Replicate]"));
  EXPECT_THAT(plan({kCols, kRows}, {kAll, kRows}), ElementsAre("0 [Replicate]"));
}

TEST(RedistributionTest, OneExchangeOnlyWhenNobodyIsInItsWay) {
  EXPECT_THAT(plan({kAll, kRows}, {kAll, kCols}), ElementsAre("1 [Shard(1)]"));
  EXPECT_THAT(plan({kRows, kRows}, {kRows, kCols}), ElementsAre("1 [Shard(1)]"));
  EXPECT_THAT(plan({kRows, kAll}, {kCols, kAll}), ElementsAre("0 [Shard(1)]"));
  EXPECT_THAT(plan({kRows, kCols}, {kCols, kRows}),
              ElementsAre("1 [Replicate]", "0 [Replicate]", "0 [Shard(1)]", "1 [Shard(0)]"));
}

TEST_F(DTensorTest, PartsFollowFromPlacements) {
  spawn(rt, 6, [&](int rank) {
    rt.set_device(rank);
    DTensorOptions two_cubes;
    two_cubes.cubes = 2;
    EXPECT_EQ(distribute_tensor(mesh, values(), {kRows, kCols}).local().shape(), (Shape{6, 8}));
    EXPECT_EQ(distribute_tensor(mesh, values(), {kRows, kRows}).local().shape(), (Shape{2, 24}));
    EXPECT_EQ(distribute_tensor(mesh, values(), {kAll, kCols}).local().shape(), (Shape{12, 8}));
    const DTensor over_cubes = distribute_tensor(mesh, values(), {kRows, kCols}, two_cubes);
    EXPECT_EQ(over_cubes.local().shape(), (Shape{6, 8}));
    EXPECT_EQ(over_cubes.local().placement().size(), 2u);
    const DTensor seen = from_local(mesh, over_cubes.local(), {kRows, kSum});
    EXPECT_EQ(seen.shape(), (Shape{12, 8}));
    EXPECT_EQ(seen.options().cubes, 2);
  });
  EXPECT_THAT(host.launches, IsEmpty());
}

// Earlier parts of a tensor that several axes split lie on earlier coordinates of the earlier axis; with several cubes
// each has rows of its own.
TEST_F(DTensorTest, EveryRankWritesItsPart) {
  std::vector<double> numbers;
  for (int i = 0; i < 12 * 6; ++i) numbers.push_back(i);
  const HostArray whole = HostArray::from_doubles({12, 6}, Dtype::f32, numbers);
  DTensorOptions two_cubes;
  two_cubes.cubes = 2;
  const auto written = [](const Tensor& tensor) {  // the first element of each row
    const HostArray local = tensor.to_host();
    std::vector<double> rows;
    for (std::int64_t row = 0; row < local.shape()[0]; ++row) rows.push_back(local.at(row, 0));
    return rows;
  };
  spawn(rt, 6, [&](int rank) {
    rt.set_device(rank);
    const DTensor x = distribute_tensor(mesh, whole, {kRows, kRows});
    const DTensor y = distribute_tensor(mesh, whole, {kCols, kRows}, two_cubes);
    if (rank != 4) return;  // dp 1, tp 1
    EXPECT_THAT(written(x.local()), ElementsAre(8 * 6, 9 * 6));
    EXPECT_THAT(written(y.local()), ElementsAre(2 * 6 + 3, 3 * 6 + 3, 8 * 6 + 3, 9 * 6 + 3));
  });
}

TEST_F(DTensorTest, MistakesAreExplained) {
  EXPECT_THAT(fail("SCHEMA_ERROR", [&] { distribute_tensor(mesh, values(), {kRows}); }),
              HasSubstr("distribute_tensor of (12, 24) [Shard(0)]: 1 placements on a mesh of 2 axes"));
  EXPECT_THAT(fail("SCHEMA_ERROR",
                   [&] {
                     distribute_tensor(mesh, values(), {Placement::shard(2), kAll});
                   }),
              HasSubstr("there is no dimension 2; 0 are the rows, 1 the columns"));
  EXPECT_THAT(fail("SCHEMA_ERROR",
                   [&] {
                     distribute_tensor(mesh, values(), {kSum, kAll});
                   }),
              HasSubstr("values cannot be distributed as a partial"));
  EXPECT_THAT(fail("SHAPE_ERROR",
                   [&] {
                     distribute_tensor(mesh, values(9), {kRows, kRows});
                   }),
              HasSubstr("9 rows of a cube cannot be divided into 6 equal parts; make it a multiple of 6"));
  EXPECT_THAT(fail("SHAPE_ERROR",
                   [&] {
                     distribute_tensor(mesh, values(12, 25), {kAll, kAll}).redistribute({kAll, kCols});
                   }),
              AllOf(HasSubstr("redistribute of (12, 25)"), HasSubstr("25 columns")));
  EXPECT_THAT(fail("SCHEMA_ERROR",
                   [&] {
                     distribute_tensor(mesh, values(), {kAll, kAll}).redistribute({kSum, Placement::partial("max")});
                   }),
              HasSubstr("partials of 'sum' and of 'max' cannot be mixed"));
  EXPECT_THAT(fail("SCHEMA_ERROR",
                   [&] {
                     distribute_tensor(mesh, values(), {kAll, kAll}).redistribute({Placement::partial("summ"), kAll});
                   }),
              HasSubstr("did you mean 'sum'?"));
  EXPECT_THAT(fail("TENSOR_ERROR",
                   [&] {
                     distribute_tensor(mesh, Tensor(), {12, 24}, Dtype::f16, {kAll, kAll});
                   }),
              HasSubstr("the first rank of the mesh needs a tensor on the device of that shape, f16"));
  EXPECT_THAT(fail("LAYOUT_ERROR",
                   [&] {
                     DPPolicy two;
                     two.cube = Split::row_wise;
                     two.num_cubes = 2;
                     two.num_pes = 1;
                     distribute_tensor(mesh, rt.zeros({12, 24}, Dtype::f16, two), {12, 24}, Dtype::f16, {kAll, kAll});
                   }),
              HasSubstr("it lies on 2 cubes, but DTensorOptions::cubes is 1"));
  EXPECT_THAT(fail("LAYOUT_ERROR",
                   [&] {
                     DPPolicy columns;
                     columns.cube = Split::column_wise;
                     columns.num_cubes = 2;
                     columns.num_pes = 1;
                     from_local(mesh, rt.zeros({4, 8}, Dtype::f16, columns), {kAll, kAll});
                   }),
              HasSubstr("a distributed tensor has rows on PE 0 of cubes 0, 1, ..."));
}

// Ranks that want different placements are told, with both.
TEST_F(DTensorTest, RanksThatDisagreeAreNamed) {
  const std::string text = fail("COLLECTIVE_ERROR", [&] {
    const DTensor x = distribute_tensor(mesh, values(), {kRows, kCols});
    x.redistribute({kRows, rt.rank() == 1 ? kRows : kAll});
  });
  EXPECT_THAT(text, AllOf(HasSubstr("disagree about their collective"),
                          HasSubstr("for redistribute of (12, 24) [Shard(0), Shard(1)] to [Shard(0), Replicate]"),
                          HasSubstr("to [Shard(0), Shard(0)]")));
}

}  // namespace
}  // namespace kb::sw
