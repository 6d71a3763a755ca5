// Blocks from outside that go wrong while the machine is built, and the hierarchy in which all blocks stand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "modules/catalog.h"
#include "platform/base/error.h"
#include "platform/elab/platform.h"
#include "platform/topology/topology.h"

namespace kb {
namespace {

using testing::HasSubstr;
using topology::NodeKind;

constexpr const char* kMachine = R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 1 } }
cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }
)";

std::string error_of(elab::BlockFactory factory) {
  elab::BlockCatalog blocks;
  blocks.add_block({NodeKind::sram, "custom.faulty", params::no_fields(), std::move(factory)});
  const topology::LoadedTopology machine = topology::load_text(
      kMachine, "m.yaml", {{"cube.components.sram.impl", "custom.faulty"}}, blocks.implementations());
  try {
    elab::Platform platform("platform", machine.graph, modules::registry_with(&blocks));
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.what();
  }
  return "";
}

TEST(ForeignBlock, AFactoryThatThrowsIsNamed) {
  EXPECT_THAT(error_of([](const auto&, NodeId, elab::BlockContext&) -> std::unique_ptr<elab::Block> {
                throw std::runtime_error("no table");
              }),
              HasSubstr("node sip0.cube0.sram: its implementation 'custom.faulty' cannot be made: no table"));
}

TEST(ForeignBlock, AFactoryWithoutABlockIsNamed) {
  EXPECT_THAT(
      error_of([](const auto&, NodeId, elab::BlockContext&) { return std::unique_ptr<elab::Block>(); }),
      HasSubstr("node sip0.cube0.sram: its implementation 'custom.faulty' cannot be made: its factory gives no block"));
}

TEST(Platform, TheHierarchyIsTheMachineT42) {
  const topology::LoadedTopology machine = topology::load_text(kMachine, "m.yaml");
  elab::Platform platform("platform", machine.graph, modules::builtin_registry());
  for (const char* name : {"platform.sip0.cube0.pe0.pe_dma", "platform.sip0.cube0.hbm_ctrl_pe0",
                           "platform.sip0.io0_pcie_ep", "platform.sip0.cube0.r0c0", "platform.fabric_switch0"}) {
    EXPECT_NE(sc_core::sc_find_object(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace kb
