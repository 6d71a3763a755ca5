// A transfer that is alone: every time equals that of the flit-by-flit oracle, and the parts are all of it (E-56,
// E-57).
#include "platform/routing/uncontended_transfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "platform/address/phys_addr.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "platform/topology/topology.h"
#include "tests/support/plain_fabric.h"
#include "tests/support/random_machine.h"

namespace kb::routing {
namespace {

using topology::NodeKind;

std::vector<PeCoord> all_pes(const topology::Graph& graph) {
  std::vector<PeCoord> pes;
  for (const topology::Node& node : graph.nodes) {
    if (node.kind == NodeKind::pe_dma) pes.push_back({node.sip, node.cube, node.pe});
  }
  return pes;
}

// Between the PE and the other's partition, or the SRAM of its cube, both ways, against the oracle.
void expect_oracle_times(const topology::Graph& graph, PeCoord issuer, PeCoord owner, std::uint64_t bytes,
                         NodeKind memory = NodeKind::hbm_ctrl) {
  const AddressResolver resolver(graph);
  PathRouter router(graph);
  const NodeId dma = resolver.find_pe_node(issuer, NodeKind::pe_dma);
  const NodeId target = memory == NodeKind::hbm_ctrl
                            ? resolver.find_hbm(owner)
                            : resolver.resolve(address::PhysAddr::cube_sram_addr(owner.sip, owner.cube, 0), 1);
  const Route& route = router.find_path(dma, target);
  const TransferPath path = transfer_path(graph, route);
  const TimeFs overhead = graph.node(dma).overhead;
  for (const bool write : {true, false}) {
    const std::uint64_t offset = bytes % 64 * 256;  // some burst of the slice
    const TransferTimes found = write ? uncontended_write(path, bytes, offset) : uncontended_read(path, bytes, offset);
    const test::PlainTimes expected = test::simulate_plain(graph, {{write, 0_fs, route.nodes, offset, bytes}})[0];
    const std::string what =
        (write ? "write of " : "read of ") + std::to_string(bytes) + " B to " + graph.node(target).id;
    EXPECT_EQ(found.delivered, expected.delivered) << what;
    EXPECT_EQ(found.answered + overhead, expected.completed) << what;
    EXPECT_EQ(std::accumulate(found.parts.begin(), found.parts.end(), found.last_flit_delay), found.delivered) << what;
    EXPECT_GE(found.last_flit_delay, 0_fs) << what;
    EXPECT_TRUE(found.part(PathPart::fabric) > 0_fs || issuer.sip == owner.sip) << what;
  }
}

// For one flit within a cube, the memory's part is its overhead and the burst; the mesh's part has all wires and
// routers.
void expect_part_of_memory(const topology::Graph& graph, const AddressResolver& resolver, PathRouter& router,
                           PeCoord pe, NodeId target, TimeFs burst, TimeFs access) {
  const Route& route = router.find_path(resolver.find_pe_node(pe, NodeKind::pe_dma), target);
  const TransferPath path = transfer_path(graph, route);
  const TimeFs overhead = graph.node(target).overhead;
  const TransferTimes write = uncontended_write(path, 256), read = uncontended_read(path, 256);
  EXPECT_EQ(write.part(PathPart::memory), overhead + burst) << graph.node(target).id;
  EXPECT_EQ(read.part(PathPart::memory), overhead + burst + access) << graph.node(target).id;
  for (const TransferTimes& times : {write, read}) {
    EXPECT_EQ(times.part(PathPart::mesh), times.delivered - times.part(PathPart::memory)) << graph.node(target).id;
    EXPECT_GT(times.part(PathPart::mesh), 0_fs);
  }
}

TEST(UncontendedTransferParts, MemoryIsItsOverheadAndItsBursts) {
  for (const char* access_ns : {"0", "12.5"}) {
    const topology::LoadedTopology machine =
        topology::load_text(std::string("system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
                                        "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 }, components: { "
                                        "hbm_ctrl: { attrs: { overhead_ns: 3, "
                                        "access_ns: ") +
                                access_ns + " } } } }\n",
                            "machine");
    const topology::Graph& graph = machine.graph;
    const AddressResolver resolver(graph);
    PathRouter router(graph);
    const PeCoord pe{SipId(0), CubeId(0), PeId(0)};
    const NodeId hbm = resolver.find_hbm(pe);
    const auto& params = graph.node(hbm).params.as<params::HbmCtrlParams>();

    expect_part_of_memory(graph, resolver, router, pe, hbm, params.pc_bw.occupancy(256), params.access.time());
    const NodeId sram = resolver.resolve(address::PhysAddr::cube_sram_addr(SipId(0), CubeId(0), 0), 1);
    expect_part_of_memory(graph, resolver, router, pe, sram, 0_fs, 0_fs);
  }
}

class UncontendedTransfer : public testing::TestWithParam<unsigned> {};

TEST_P(UncontendedTransfer, TakesTheTimeOfThePerFlitRules) {
  std::mt19937 random(GetParam());
  const topology::LoadedTopology machine = test::random_machine(random);
  const std::vector<PeCoord> pes = all_pes(machine.graph);
  const auto any = [&] { return pes[random() % pes.size()]; };
  for (int i = 0; i < 20; ++i) {
    expect_oracle_times(machine.graph, any(), any(), 1 + random() % 20000);
    expect_oracle_times(machine.graph, any(), any(), 1 + random() % 20000, NodeKind::sram);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, UncontendedTransfer, testing::Range(0u, 40u));

TEST(UncontendedTransferOfTheReference, TakesTheTimeOfThePerFlitRulesWithSlowControllers) {
  const topology::LoadedTopology machine =
      topology::load(KB_SOURCE_DIR "/configs/reference.yaml", {{"cube.components.hbm_ctrl.attrs.overhead_ns", "20"}});
  const PeCoord own{SipId(0), CubeId(0), PeId(0)};
  for (const std::uint64_t bytes : {1, 256, 257, 16384}) {
    for (const PeCoord& owner : {own, PeCoord{SipId(0), CubeId(15), PeId(7)}, PeCoord{SipId(1), CubeId(0), PeId(0)}}) {
      expect_oracle_times(machine.graph, own, owner, bytes);
    }
  }
}

// What a PCIe endpoint waits for until it has the whole message is time of the fabric, and so no more than the first
// flit's way for a message of one flit.
TEST(UncontendedTransferOfTheReference, APcieEndpointGathersTheWholeMessage_E57) {
  const topology::LoadedTopology machine = topology::load(KB_SOURCE_DIR "/configs/reference.yaml");
  const AddressResolver resolver(machine.graph);
  PathRouter router(machine.graph);
  const NodeId dma = resolver.find_pe_node({SipId(0), CubeId(0), PeId(0)}, NodeKind::pe_dma);
  const TransferPath path =
      transfer_path(machine.graph, router.find_path(dma, resolver.find_hbm({SipId(1), CubeId(0), PeId(0)})));
  const auto gathers = [](const PathStep& step) { return step.gathers; };
  ASSERT_EQ(std::count_if(path.there.begin(), path.there.end(), gathers), 2);
  const TimeFs one = uncontended_write(path, 256).part(PathPart::fabric);
  const TimeFs many = uncontended_write(path, 16384).part(PathPart::fabric);
  // 63 flits behind the first at the 128 GB/s of the way to the first endpoint, and of the wire to the second.
  EXPECT_GT(many - one, 63 * 2_ns);
  TimeFs whole = many;
  for (const PathStep& step : path.there) {
    if (step.wire == PathPart::fabric) whole -= step.propagation + step.bw.occupancy(256);
    if (step.node == PathPart::fabric) whole -= step.overhead;
  }
  EXPECT_EQ(whole, many - one);
}

}  // namespace
}  // namespace kb::routing
