#include "sw/distributed/device_mesh.h"

#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "sw/distributed/spawn.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

contract::MachineInfo six_sips() {
  contract::MachineInfo machine = FakeHost::small_machine();
  machine.sips = 6;
  return machine;
}

class DeviceMeshTest : public ::testing::Test {
 protected:
  FakeHost host{six_sips()};
  const kernels::KernelCatalog catalog;
  Runtime rt{host, &catalog};
  ProcessGroup world{rt};
};

TEST_F(DeviceMeshTest, TheLastAxisCountsFastest) {
  const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 3}});
  EXPECT_EQ(mesh.axes(), 2);
  EXPECT_EQ(mesh.axis_index("tp"), 1);
  spawn(rt, 6, [&](int rank) {
    EXPECT_EQ(mesh.coordinate("dp"), rank / 3);
    EXPECT_EQ(mesh.coordinate("tp"), rank % 3);
    EXPECT_EQ(mesh.group("dp").rank(), rank / 3);
    EXPECT_EQ(mesh.group("tp").rank(), rank % 3);
    if (rank != 4) return;
    EXPECT_THAT(mesh.group("dp").ranks(), ElementsAre(1, 4));
    EXPECT_THAT(mesh.group("tp").ranks(), ElementsAre(3, 4, 5));
    EXPECT_EQ(mesh.group("tp").name(), "tp of ranks 3, 4, 5");
  });
}

TEST_F(DeviceMeshTest, TakesThreeAxesAndSomeRanksInAnyOrder) {
  const DeviceMesh cube(world, {{"a", 1}, {"b", 3}, {"c", 2}});
  const DeviceMesh some(world, {{"x", 2}, {"y", 2}}, {5, 0, 3, 1});
  spawn(rt, 6, [&](int rank) {
    if (rank == 3) {
      EXPECT_THAT(cube.group("a").ranks(), ElementsAre(3));
      EXPECT_THAT(cube.group("b").ranks(), ElementsAre(1, 3, 5));
      EXPECT_THAT(cube.group("c").ranks(), ElementsAre(2, 3));
      EXPECT_THAT(some.group("x").ranks(), ElementsAre(5, 3));
      EXPECT_THAT(some.group("y").ranks(), ElementsAre(3, 1));
      EXPECT_EQ(some.coordinate("x"), 1);
      EXPECT_EQ(some.coordinate("y"), 0);
    }
    EXPECT_EQ(some.has(rank), rank != 2 && rank != 4);
  });
}

TEST_F(DeviceMeshTest, MistakesAreExplained) {
  const auto refuse = [&](const std::vector<MeshAxis>& axes) {
    return error_of([&] { DeviceMesh(world, axes); }, "SCHEMA_ERROR");
  };
  EXPECT_THAT(
      refuse({{"dp", 2}, {"tp", 2}}),
      HasSubstr("axes dp = 2, tp = 2 hold 4 ranks, but there are 6; the product of the sizes must be their number"));
  EXPECT_THAT(refuse({{"a", 1 << 30}, {"b", 1 << 30}, {"c", 1 << 30}}), HasSubstr("hold countless ranks"));
  EXPECT_THAT(refuse({}), HasSubstr("it has no axis"));
  EXPECT_THAT(refuse({{"", 6}}), HasSubstr("an axis has no name"));
  EXPECT_THAT(refuse({{"dp", -2}, {"tp", -3}}), HasSubstr("axis 'dp' has size -2"));
  EXPECT_THAT(refuse({{"dp", 2}, {"dp", 3}}), HasSubstr("two axes have the name 'dp'"));
  const DeviceMesh mesh(world, {{"data", 2}}, {1, 4});
  EXPECT_THAT(error_of([&] { mesh.axis_index("dat"); }, "SCHEMA_ERROR"), HasSubstr("did you mean 'data'?"));
  EXPECT_THAT(error_of([&] { spawn(rt, 6, [&](int) { mesh.group("data"); }); }, "COLLECTIVE_ERROR"),
              HasSubstr("rank 0 is not in the device mesh, which has ranks 1, 4"));
}

}  // namespace
}  // namespace kb::sw
