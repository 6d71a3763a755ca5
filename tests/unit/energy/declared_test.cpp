// Coefficients that a block declares with its resource (E-118).
#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/resource/resource_table.h"
#include "platform/topology/topology.h"
#include "sim/analysis/energy/energy_account.h"

namespace kb::sim {
namespace {

using energy::Coefficient;

constexpr const char* kBare = R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 1 } }
cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }
energy: { defaults: none }
)";

TEST(DeclaredEnergy, UsesAndBytesCount_E118) {
  topology::LoadedTopology machine = topology::load_text(kBare, "t.yaml");
  const NodeId node = *machine.graph.find_node("sip0.cube0.hbm_ctrl.pe0");
  resource::ResourceTable table({}, {});
  resource::Declaration declared{"bank", resource::Role::memory, 1, "A bank is open."};
  declared.energy_per_use = Coefficient::of_pj(100, 50, 200, "", "a data sheet");
  declared.energy_per_byte = Coefficient::of_pj(2, 2, 2, "", "a data sheet");
  resource::Resource& bank = table.declare({node, "hbm", 0, true}, declared);
  bank.use(0, 0_ns, 1_ns, account::PlaceId{}, 64);
  bank.use(0, 1_ns, 2_ns, account::PlaceId{}, 32);
  const EngineWork work(machine.graph);
  const StatisticTable statistics;
  const std::vector<resource::DeclaredUse> uses = table.uses();
  const EnergyRecord record = account_energy({machine.graph, statistics, work, uses, nullptr, 10_ns}, {});
  EXPECT_EQ(record.total, (energy::Energy{200'000 + 192'000, 100'000 + 192'000, 400'000 + 192'000}));
  ASSERT_EQ(record.parts.size(), 1u);
  EXPECT_EQ(record.parts[0].name, machine.graph.node(node).impl);
}

std::string refused(const Coefficient& coefficient) {
  resource::ResourceTable table({}, {});
  resource::Declaration declared{"bank", resource::Role::memory, 1, "A bank is open."};
  declared.energy_per_use = coefficient;
  try {
    table.declare({NodeId(0), "hbm", 0, true}, declared);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DeclaredEnergy, NeedsARangeAndASource_E118) {
  EXPECT_EQ(
      refused(Coefficient::of_pj(1, 2, 3, "", "a board")),
      "hbm: its resource 'bank' has a coefficient of energy whose range does not hold its value; give 0 <= low <= "
      "value <= high");
  EXPECT_EQ(refused(Coefficient::of_pj(1, 1, 1, "", "")),
            "hbm: its resource 'bank' has a coefficient of energy without a source; say where the value is from");
}

}  // namespace
}  // namespace kb::sim
