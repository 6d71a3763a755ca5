#include "platform/address/address_config.h"

#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/base/units.h"
#include "platform/topology/topology.h"

namespace kb::address {
namespace {

constexpr const char* kMachine = R"(
system: { sips: { count: 2, topology: ring_1d } }
sip: { cube_mesh: { w: 2, h: 1 } }
cube:
  pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 2 }
)";

AddressConfig machine() {
  return AddressConfig::from_spec(topology::load_text(kMachine, "machine").graph.spec);
}

// A-54, with the defaults of the topology.
TEST(AddressConfig, ComesFromTheTopology) {
  const AddressConfig config = machine();
  EXPECT_EQ(config.sips, 2u);
  EXPECT_EQ(config.cubes_per_sip, 2u);
  EXPECT_EQ(config.pes_per_cube, 8u);
  EXPECT_EQ(config.chiplets_per_sip, 1u);
  EXPECT_EQ(config.hbm_bytes_per_cube, 48 * kGiB);
  EXPECT_EQ(config.hbm_slice_bytes, 0x1'8000'0000u);
  EXPECT_EQ(config.tcm_bytes_per_pe, 2 * kMiB);
  EXPECT_EQ(config.sram_bytes_per_cube, 32 * kMiB);
  EXPECT_EQ(config.hbm_alignment, 256u);  // A-64
  EXPECT_EQ(config.tcm_alignment, 16u);
}

// P-48: disjoint, in order, and together the whole TCM.
TEST(TcmPartition, DividesTheTcmWithoutGapOrOverlap) {
  const TcmPartition parts = machine().tcm_partition();
  EXPECT_EQ(parts.allocatable_bytes, 512 * kKiB);
  EXPECT_EQ(parts.scratch_offset, parts.allocatable_bytes);
  EXPECT_EQ(parts.scratch_bytes, 1 * kMiB);
  EXPECT_EQ(parts.reserved_offset, parts.scratch_offset + parts.scratch_bytes);
  EXPECT_EQ(parts.reserved_bytes, 512 * kKiB);
  EXPECT_EQ(parts.reserved_offset + parts.reserved_bytes, 2 * kMiB);
}

TEST(TcmPartition, RefusesPartsThatDoNotFit) {
  EXPECT_EQ(TcmPartition::make(100, 60, 40).allocatable_bytes, 0u);
  EXPECT_THROW(TcmPartition::make(100, 61, 40), Error);
  EXPECT_THROW(TcmPartition::make(100, 0, 101), Error);
  EXPECT_THROW(TcmPartition::make(100, ~std::uint64_t{0}, 1), Error);
}

// A-15, A-103: what decodes need not be built.
TEST(AddressConfig, FindsWhatIsNotBuilt) {
  const AddressConfig config = machine();
  const auto built = [&](const PhysAddr& address, std::uint64_t nbytes = 1) {
    return !config.capacity_problem(PhysAddr::decode(address.value()), nbytes).has_value();
  };
  const SipId sip(1);
  const CubeId cube(1);
  EXPECT_TRUE(built(PhysAddr::hbm_addr(sip, cube, 48 * kGiB - 1)));
  EXPECT_FALSE(built(PhysAddr::hbm_addr(sip, cube, 48 * kGiB)));
  EXPECT_TRUE(built(PhysAddr::hbm_addr(sip, cube, 48 * kGiB - 16), 16));
  EXPECT_FALSE(built(PhysAddr::hbm_addr(sip, cube, 48 * kGiB - 16), 17));
  EXPECT_FALSE(built(PhysAddr::hbm_addr(sip, cube, 0), ~std::uint64_t{0}));
  EXPECT_TRUE(built(PhysAddr::pe_tcm_addr(sip, cube, PeId(7), 2 * kMiB - 1)));
  EXPECT_FALSE(built(PhysAddr::pe_tcm_addr(sip, cube, PeId(7), 2 * kMiB)));
  EXPECT_FALSE(built(PhysAddr::pe_tcm_addr(sip, cube, PeId(8), 0)));
  EXPECT_FALSE(built(PhysAddr::hbm_addr(SipId(2), cube, 0)));
  EXPECT_FALSE(built(PhysAddr::hbm_addr(sip, CubeId(2), 0)));
  EXPECT_TRUE(built(PhysAddr::cube_sram_addr(sip, cube, 32 * kMiB - 4), 4));
  EXPECT_FALSE(built(PhysAddr::cube_sram_addr(sip, cube, 32 * kMiB - 4), 5));
  EXPECT_TRUE(built(PhysAddr::mcpu_resource_addr(sip, cube, McpuUnit::sfr, 0), 8 * kKiB));
  EXPECT_FALSE(built(PhysAddr::mcpu_resource_addr(sip, cube, McpuUnit::sfr, 0), 8 * kKiB + 1));
  EXPECT_TRUE(built(PhysAddr::iocpu_resource_addr(sip, ChipletId(0), IocpuUnit::ipcq, 0)));
  EXPECT_FALSE(built(PhysAddr::iocpu_resource_addr(sip, ChipletId(1), IocpuUnit::ipcq, 0)));
  EXPECT_FALSE(built(PhysAddr::ual_addr(sip, ChipletId(0), kUalBase)));
}

TEST(AddressConfig, SaysWhatIsMissing) {
  const AddressConfig config = machine();
  EXPECT_EQ(config.capacity_problem(PhysAddr::hbm_addr(SipId(2), CubeId(0), 0)),
            "sip2.cube0 HBM +0x0: sip 2 does not exist (this machine has 2)");
  EXPECT_EQ(config.capacity_problem(PhysAddr::hbm_addr(SipId(0), CubeId(1), 48 * kGiB), 64),
            "sip0.cube1 HBM +0xc00000000: an access of 64 B ends past the 48 GiB that are built there");
  try {
    config.require_implemented(PhysAddr::hbm_addr(SipId(0), CubeId(3), 0));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "ADDRESS_ERROR");
    EXPECT_EQ(error.family(), ErrorFamily::program);
  }
}

}  // namespace
}  // namespace kb::address
