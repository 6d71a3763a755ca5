// Values and combinations that a machine cannot have, each changed alone in an otherwise good file.
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

struct Case {
  const char* name;
  Overrides set;
  std::string error;  // without the leading "--set: "
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}
std::string case_name(const testing::TestParamInfo<Case>& tested) {
  return tested.param.name;
}

class BadValue : public testing::TestWithParam<Case> {};

TEST_P(BadValue, IsRefused) {
  EXPECT_EQ(error_of_text(kMinimal, GetParam().set), "--set: " + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Ranges, BadValue,
    testing::Values(
        Case{"Negative",
             {{"cube.links.router_link_bw_gbs", "-1"}},
             "cube.links.router_link_bw_gbs: -1 is out of range (it must be between 0.001 and 1000000 GB/s)"},
        Case{"ZeroBandwidth",
             {{"cube.links.pe_to_router_bw_gbs", "0"}},
             "cube.links.pe_to_router_bw_gbs: 0 is out of range (it must be between 0.001 and 1000000 GB/s)"},
        Case{"NotANumber",
             {{"system.ns_per_mm", ".nan"}},
             "system.ns_per_mm: .nan is out of range (it must be between 0 and 1000 ns/mm)"},
        Case{"Infinite",
             {{"cube.links.ucie_link_bw_gbs", ".inf"}},
             "cube.links.ucie_link_bw_gbs: .inf is out of range (it must be between 0.001 and 1000000 GB/s)"},
        Case{"Overflow",
             {{"cube.links.ucie_link_bw_gbs", "1e999"}},
             "cube.links.ucie_link_bw_gbs: 1e999 is out of range (it must be between 0.001 and 1000000 GB/s)"},
        Case{"NegativeTime",
             {{"cube.components.sram.attrs.overhead_ns", "-2"}},
             "cube.components.sram.attrs.overhead_ns: -2 is out of range (it must be between 0 and 1000000 ns)"},
        Case{"TimeBelowResolution",
             {{"cube.components.sram.attrs.overhead_ns", "0.0000004"}},
             "cube.components.sram.attrs.overhead_ns: 0.0000004 ns rounds to zero (the resolution is 1 fs = 0.000001 "
             "ns; write 0 or a larger value)"},
        Case{"FractionalCount",
             {{"system.sips.count", "2.5"}},
             "system.sips.count: expected a whole number, found '2.5' (write digits only)"},
        Case{"HugeCount",
             {{"system.sips.count", "99999999999999999999"}},
             "system.sips.count: 99999999999999999999 is out of range (it must be between 1 and 16)"},
        Case{"WrongWord",
             {{"system.sips.topology", "star"}},
             "system.sips.topology: 'star' is not one of ring_1d, torus_2d, mesh_2d_no_wrap (choose one of them)"},
        Case{"NearWord",
             {{"system.sips.topology", "torus2d"}},
             "system.sips.topology: 'torus2d' is not one of ring_1d, torus_2d, mesh_2d_no_wrap (did you mean "
             "'torus_2d'?)"},
        Case{"WrongFlag",
             {{"cube.pe_template.components.pe_scheduler.attrs.charge_fetch_store", "1"}},
             "cube.pe_template.components.pe_scheduler.attrs.charge_fetch_store: expected true or false, found '1' "
             "(write true or false)"},
        Case{"WrongCorner",
             {{"cube.pe_layout.corners", "[NW, XX]"}},
             "cube.pe_layout.corners: 'XX' is not one of NW, NE, SW, SE (choose one of them)"},
        Case{"CornerTwice",
             {{"cube.pe_layout.corners", "[NW, NW]"}},
             "cube.pe_layout.corners: 'NW' is listed twice (remove one of them)"},
        Case{"NoCorner",
             {{"cube.pe_layout.corners", "[]"}},
             "cube.pe_layout.corners: a cube without corners has no PEs (list some of NW, NE, SW, SE)"},
        Case{"OneCoordinate",
             {{"cube.placement.sram.pos_mm", "[1.5]"}},
             "cube.placement.sram.pos_mm: expected a list of two numbers, found one of 1 (write for example [1.5, "
             "5.5])"},
        Case{"FractionalBytes",
             {{"cube.memory_map.tcm_size_mb", "2.0000001"}},
             "cube.memory_map.tcm_size_mb: 2.0000001 is not a whole number of bytes (write for example 2 or 0.5)"},
        Case{"SramBeyondItsWindow",
             {{"cube.components.sram.attrs.size_mb", "16384.5"}},
             "cube.components.sram.attrs.size_mb: 16384.5 is out of range (it must be greater than 0 and at most "
             "16384 MB)"},
        Case{"BurstNotAPowerOfTwo",
             {{"cube.components.hbm_ctrl.attrs.burst_bytes", "200"}},
             "cube.components.hbm_ctrl.attrs.burst_bytes: 200 is not a power of two (write for example 8 or 256)"},
        Case{"EfficiencyAboveOne",
             {{"cube.components.hbm_ctrl.attrs.efficiency", "1.1"}},
             "cube.components.hbm_ctrl.attrs.efficiency: 1.1 is out of range (it must be between 0.001 and 1)"},
        // A flit on such a link would take longer than simulated time can count.
        Case{"BandwidthBelowWhatTimeCanCount",
             {{"cube.links.router_link_bw_gbs", "1e-12"}},
             "cube.links.router_link_bw_gbs: 1e-12 is out of range (it must be between 0.001 and 1000000 GB/s)"},
        Case{"OptionalBandwidthBelowWhatTimeCanCount",
             {{"cube.pe_template.links.fetch_store_to_tcm_bw_gbs", "1e-12"}},
             "cube.pe_template.links.fetch_store_to_tcm_bw_gbs: 1e-12 is out of range (it must be 0 or between 0.001 "
             "and 1000000 GB/s)"},
        Case{"RateWithItsUnit",
             {{"cube.pe_template.components.pe_gemm.attrs.mac_per_ns", "0"}},
             "cube.pe_template.components.pe_gemm.attrs.mac_per_ns: 0 is out of range (it must be between 0.001 and "
             "1000000000 per ns)"},
        Case{
            "RateOfADtype",
            {{"cube.pe_template.components.pe_gemm.attrs.mac_per_ns", "{f16: 4096, i8: -1}"}},
            "cube.pe_template.components.pe_gemm.attrs.mac_per_ns.i8: -1 is out of range (it must be between 0.001 and "
            "1000000000)"},
        Case{"RateOfAnUnknownDtype",
             {{"cube.pe_template.components.pe_math.attrs.elements_per_ns", "{f16: 64, fp8: 128}"}},
             "cube.pe_template.components.pe_math.attrs.elements_per_ns.fp8: unknown key 'fp8' (known: f16, bf16, f32, "
             "i8, "
             "i16, i32, i64, e4m3, e5m2)"},
        Case{"DtypesWithoutARate",
             {{"cube.pe_template.components.pe_gemm.attrs.mac_per_ns", "{i8: 8192, bf16: 4096, f32: 1, i16: 1}"}},
             "cube.pe_template.components.pe_gemm.attrs.mac_per_ns: there is no rate for f16, i32, i64 (add f16, which "
             "the others follow, or a rate for each of them)"},
        Case{"RateThatIsNoNumber",
             {{"cube.pe_template.components.pe_gemm.attrs.mac_per_ns", "[4096]"}},
             "cube.pe_template.components.pe_gemm.attrs.mac_per_ns: expected a number, found a list (write the value "
             "after the colon, or remove the key)"},
        Case{
            "LanesAndClockAreOneRate",
            {{"cube.pe_template.components.pe_math.attrs.elements_per_cycle", "64"}},
            "cube.pe_template.components.pe_math.attrs.elements_per_cycle: 'elements_per_cycle' is not set here (write "
            "elements_per_ns, which is elements_per_cycle times clock_ghz)"},
        Case{"GranularityOfTwoSizes",
             {{"cube.pe_template.components.pe_gemm.attrs.gemm_granularity", "32x64"}},
             "cube.pe_template.components.pe_gemm.attrs.gemm_granularity: '32x64' is not a block of a product (write "
             "M x K x N as 32x64x32, each 1 to 4096, or none)"},
        Case{"GranularityOfNothing",
             {{"cube.pe_template.components.pe_gemm.attrs.gemm_granularity", "32x0x32"}},
             "cube.pe_template.components.pe_gemm.attrs.gemm_granularity: '32x0x32' is not a block of a product (write "
             "M x K x N as 32x64x32, each 1 to 4096, or none)"},
        Case{"NegativeWeight",
             {{"cube.pe_template.components.pe_math.attrs.weight_exp", "-1"}},
             "cube.pe_template.components.pe_math.attrs.weight_exp: -1 is out of range (it must be greater than 0 "
             "and at most 1000000)"},
        Case{"FreeOperation",
             {{"cube.pe_template.components.pe_math.attrs.weight_exp", "0"}},
             "cube.pe_template.components.pe_math.attrs.weight_exp: 0 is out of range (it must be greater than 0 "
             "and at most 1000000)"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Components, BadValue,
    testing::Values(
        Case{"UnknownBuiltin",
             {{"cube.components.sram.impl", "builtin.sramm"}},
             "cube.components.sram.impl: unknown implementation 'builtin.sramm' (did you mean 'builtin.sram'?)"},
        Case{"BuiltinOfAnotherKind",
             {{"cube.components.m_cpu.impl", "builtin.sram"}},
             "cube.components.m_cpu.impl: 'builtin.sram' cannot serve as m_cpu (write builtin.m_cpu; this one "
             "is for sram)"},
        Case{"NoPrefix",
             {{"cube.components.sram.impl", "my_sram"}},
             "cube.components.sram.impl: 'my_sram' names no implementation (write builtin.<name> or custom.<name>, "
             "e.g. builtin.sram)"},
        Case{"WrongKind",
             {{"cube.components.sram.kind", "m_cpu"}},
             "cube.components.sram.kind: this block is of kind 'sram', not 'm_cpu' (write kind: sram, or leave the key "
             "out)"},
        Case{"RouterOverheadHasAnotherPlace",
             {{"cube.components.noc_router.attrs.overhead_ns", "1"}},
             "cube.components.noc_router.attrs.overhead_ns: 'overhead_ns' is not set here (all routers of a machine "
             "have the same one (T-20): set cube.links.router_overhead_ns)"},
        Case{"ChannelBandwidthIsDerived",
             {{"cube.components.hbm_ctrl.attrs.pc_bw_gbs", "32"}},
             "cube.components.hbm_ctrl.attrs.pc_bw_gbs: 'pc_bw_gbs' is not set here (remove it: it is derived as "
             "hbm_to_router_bw_gbs / num_pcs)"},
        Case{"WeightOfAnUnknownOperation",
             {{"cube.pe_template.components.pe_math.attrs.weight_sigmod", "2"}},
             "cube.pe_template.components.pe_math.attrs.weight_sigmod: unknown key 'weight_sigmod' (did you mean "
             "'weight_sigmoid'?)"},
        Case{"WeightAtAnotherBlock",
             {{"cube.pe_template.components.pe_gemm.attrs.weight_exp", "2"}},
             "cube.pe_template.components.pe_gemm.attrs.weight_exp: unknown key 'weight_exp' (did you mean "
             "'cube.pe_template.components.pe_math.attrs.weight_exp'?)"},
        Case{"UnknownBlock",
             {{"cube.pe_template.components.pe_gem.attrs.mac_per_ns", "1"}},
             "cube.pe_template.components.pe_gem: unknown key 'pe_gem' (did you mean 'pe_gemm'?)"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Consistency, BadValue,
    testing::Values(
        Case{"TooManySipsT12",
             {{"system.sips.count", "17"}},
             "system.sips.count: 17 is out of range (it must be between 1 and 16)"},
        Case{"TooManyCubesT12",
             {{"sip.cube_mesh.w", "5"}},
             "sip.cube_mesh.w: a SIP of 5 x 4 cubes has 20 cubes, but addresses reach 16 (w * h must be at most 16)"},
        Case{"TooManyPesT12",
             {{"cube.pe_layout.pe_per_corner", "5"}},
             "cube.pe_layout.pe_per_corner: 4 corners with 5 PEs each make 20 PEs per cube, but addresses reach 16 "
             "(corners * pe_per_corner must be at most 16)"},
        Case{"TooMuchHbmT12",
             {{"cube.memory_map.hbm_total_gb_per_cube", "129"}},
             "cube.memory_map.hbm_total_gb_per_cube: 129 is out of range (it must be greater than 0 and at most 128 "
             "GB)"},
        Case{"OneGridSideT14",
             {{"system.sips.w", "2"}},
             "system.sips.w: only one of w and h is given (give both, with w * h equal to count)"},
        Case{"SlicesT22",
             {{"cube.memory_map.hbm_slices_per_cube", "4"}},
             "cube.memory_map.hbm_slices_per_cube: 4 HBM slices per cube, but 8 PEs (write 8, or leave the key out)"},
        Case{"ChannelsT22",
             {{"cube.memory_map.hbm_pseudo_channels", "32"}, {"cube.memory_map.hbm_channels_per_pe", "8"}},
             "cube.memory_map.hbm_pseudo_channels: 32 pseudo-channels are not 8 channels per PE * 8 PEs (write 64, or "
             "leave one of the two keys out)"},
        Case{"ChannelShareT22",
             {{"cube.memory_map.hbm_pseudo_channels", "60"}},
             "cube.memory_map.hbm_pseudo_channels: 60 pseudo-channels cannot be shared equally by 8 PEs (write a "
             "multiple of the PE count)"},
        Case{"ChannelsPowerOfTwoT22",
             {{"cube.memory_map.hbm_pseudo_channels", "48"}},
             "cube.memory_map.hbm_pseudo_channels: 6 channels per PE is not a power of two (write for example 8)"},
        Case{"NumPcsT22",
             {{"cube.components.hbm_ctrl.attrs.num_pcs", "4"}},
             "cube.components.hbm_ctrl.attrs.num_pcs: num_pcs is 4, but a PE has 8 HBM channels (num_pcs must equal "
             "cube.memory_map.hbm_channels_per_pe)"},
        Case{"HbmLinkT22",
             {{"cube.links.hbm_to_router_bw_gbs", "200"}},
             "cube.links.hbm_to_router_bw_gbs: hbm_to_router_bw_gbs is 200, but 8 channels of 32 GB/s make 256 (write "
             "256, or leave the key out and change cube.memory_map.hbm_channel_bw_gbs)"},
        Case{"HbmDivisionT22",
             {{"cube.memory_map.hbm_total_gb_per_cube", "32"},
              {"cube.pe_layout.corners", "[NW]"},
              {"cube.pe_layout.pe_per_corner", "3"}},
             "cube.memory_map.hbm_total_gb_per_cube: 32 GiB of HBM cannot be divided into 3 equal slices (write a "
             "multiple of the slice count)"},
        Case{"HbmBurstMultiple",
             {{"cube.memory_map.hbm_total_gb_per_cube", "0.0000009834766387939453125"}},
             "cube.memory_map.hbm_total_gb_per_cube: an HBM slice of 132 bytes is not a multiple of burst_bytes = 256 "
             "(choose a capacity that is)"},
        Case{"OneToOneT56",
             {{"cube.memory_map.hbm_mapping_mode", "one_to_one"}},
             "cube.memory_map.hbm_mapping_mode: one_to_one gives each HBM channel accesses of its own, which takes "
             "logical addresses, but address_model is va (write address_model: la beside it, or n_to_one, which gives "
             "the same bandwidth per PE)"},
        Case{"OneToOneNeedsChannelsThatDivideA72",
             {{"cube.memory_map.address_model", "la"},
              {"cube.memory_map.hbm_mapping_mode", "one_to_one"},
              {"cube.memory_map.hbm_pseudo_channels", "65"}},
             "cube.memory_map.hbm_pseudo_channels: 65 pseudo-channels cannot be shared equally by 8 PEs (write a "
             "multiple of the PE count)"},
        Case{"TcmSizesDisagreeT26",
             {{"cube.memory_map.tcm_size_mb", "4"}, {"cube.pe_template.components.pe_tcm.attrs.size_mb", "2"}},
             "cube.pe_template.components.pe_tcm.attrs.size_mb: the TCM has 2 MB here and 4 MB in "
             "cube.memory_map.tcm_size_mb (write it in one of the two places)"},
        Case{"PageSizesDisagreeA40",
             {{"cube.memory_map.page_size", "8192"}, {"cube.pe_template.components.pe_mmu.attrs.page_size", "4096"}},
             "cube.pe_template.components.pe_mmu.attrs.page_size: PE_MMU would have pages of 4096 bytes, but the "
             "memory map, whose pages virtual addresses are allocated in, has 8192 (cube.memory_map.page_size) (set "
             "cube.memory_map.page_size=4096 instead, which PE_MMU follows; or write the same in both)"},
        Case{"PageSizeIsNoPowerOfTwo",
             {{"cube.memory_map.page_size", "5000"}},
             "cube.memory_map.page_size: 5000 is not a power of two (write for example 4096)"},
        Case{"UnknownAddressModelA1",
             {{"cube.memory_map.address_model", "vm"}},
             "cube.memory_map.address_model: 'vm' is not one of pa, va, la (did you mean 'va'?)"},
        Case{"TcmFullP48",
             {{"cube.memory_map.tcm_size_mb", "1.5"}},
             "cube.memory_map.tcm_size_mb: a TCM of 1536 KiB has no room left for tensors: the scheduler reserves 512 "
             "KiB and kernel scratch takes 1 MiB (enlarge tcm_size_mb, or reduce tcm_scheduler_reserved_bytes or "
             "tcm_kernel_scratch_bytes)"},
        Case{"CubeTooNarrow",
             {{"cube.geometry.cube_mm.w", "3"}, {"cube.placement.m_cpu.pos_mm", "[1, 5]"}},
             "cube.geometry.cube_mm.w: a cube 3 mm wide has no room for 2 PEs per corner (it must be at least 3.3 mm "
             "wide)"},
        Case{
            "CubeTooLow",
            {{"cube.geometry.cube_mm.h", "9"}},
            "cube.geometry.cube_mm.h: a cube 9 mm high has no room for its PE and HBM rows (it must be at least 9.2 mm "
            "high)"},
        Case{"HbmLargerThanCube",
             {{"cube.geometry.hbm_mm.w", "19"}},
             "cube.geometry.hbm_mm.w: the HBM (19 x 5 mm) is larger than the cube (18 x 14 mm) (reduce "
             "cube.geometry.hbm_mm)"},
        Case{"OutsideTheCube",
             {{"cube.placement.sram.pos_mm", "[1.5, 14.5]"}},
             "cube.placement.sram.pos_mm: sram at [1.5, 14.5] lies outside the cube of 18 x 14 mm (place it inside)"}),
    case_name);

const char* const kPort = "sip.io_chiplets[0].cube_ports";

INSTANTIATE_TEST_SUITE_P(
    IoChiplets, BadValue,
    testing::Values(
        Case{"NoSuchCubeT22",
             {{kPort, "[{ cube: { xy: [4, 0] }, cube_side: N, phy: P0 }]"}},
             "sip.io_chiplets[0].cube_ports[0].cube.xy: there is no cube [4, 0] in a mesh of 4 x 4 (x goes up to 3, y "
             "up to 3)"},
        Case{"NoSuchSideT22",
             {{kPort, "[{ cube: { xy: [0, 0] }, cube_side: Q, phy: P0 }]"}},
             "sip.io_chiplets[0].cube_ports[0].cube_side: 'Q' is not one of N, E, S, W (choose one of them)"},
        Case{"InnerSideT22",
             {{kPort, "[{ cube: { xy: [0, 0] }, cube_side: E, phy: P0 }]"}},
             "sip.io_chiplets[0].cube_ports[0].cube_side: side E of cube [0, 0] already joins the neighbouring cube "
             "(choose a side at the edge of the cube mesh)"},
        Case{"PortTwiceT22",
             {{kPort,
               "[{ cube: { xy: [0, 0] }, cube_side: N, phy: P0 }, { cube: { xy: [0, 0] }, cube_side: N, phy: P1 "
               "}]"}},
             "sip.io_chiplets[0].cube_ports[1].cube_side: side N of cube [0, 0] is already used by "
             "sip.io_chiplets[0].cube_ports[0] (choose another cube or side)"},
        Case{"PhyTwiceT22",
             {{kPort,
               "[{ cube: { xy: [0, 0] }, cube_side: N, phy: P0 }, { cube: { xy: [1, 0] }, cube_side: N, phy: P0 "
               "}]"}},
             "sip.io_chiplets[0].cube_ports[1].phy: two PHYs of io0 are named 'P0' (rename one of them)"},
        Case{"PhyName",
             {{kPort, "[{ cube: { xy: [0, 0] }, cube_side: N, phy: P.0 }]"}},
             "sip.io_chiplets[0].cube_ports[0].phy: 'P.0' cannot name a PHY (use letters, digits and _, e.g. P0)"},
        Case{
            "FractionalCube",
            {{kPort, "[{ cube: { xy: [0.5, 0] }, cube_side: N, phy: P0 }]"}},
            "sip.io_chiplets[0].cube_ports[0].cube.xy: the cube's coordinates are not whole numbers (write for example "
            "[0, 0])"},
        Case{"OneCoordinate",
             {{kPort, "[{ cube: { xy: [0] }, cube_side: N, phy: P0 }]"}},
             "sip.io_chiplets[0].cube_ports[0].cube.xy: expected a list of two numbers, found one of 1 (write for "
             "example [0, 0])"},
        Case{"MissingPhy",
             {{kPort, "[{ cube: { xy: [0, 0] }, cube_side: N }]"}},
             "sip.io_chiplets[0].cube_ports[0].phy: this mandatory key is missing (add it to the mapping that starts "
             "here)"},
        Case{
            "NoPorts",
            {{kPort, "[]"}},
            "sip.io_chiplets[0].cube_ports: the IO chiplet is joined to no cube (list at least one port, or remove the "
            "key)"},
        Case{"NoChiplet",
             {{"sip.io_chiplets", "[]"}},
             "sip.io_chiplets: a SIP without IO chiplet cannot be reached (list one, or remove the key)"},
        Case{"ChipletId",
             {{"sip.io_chiplets[0].id", "cube1"}},
             "sip.io_chiplets[0].id: 'cube1' cannot name an IO chiplet (use lower-case letters, digits and _, e.g. "
             "io1)\n--set: sip.io_chiplets[0].id: no IO chiplet is named io0 (host requests enter there: name one "
             "io0)"}),
    case_name);

TEST(SipGrid, ResolvesAsT14) {
  const auto grid = [](const Overrides& overrides) {
    const MachineSpec spec = minimal(overrides).graph.spec;
    return std::make_pair(spec.sip_w, spec.sip_h);
  };
  EXPECT_EQ(grid({{"system.sips.count", "6"}}), std::make_pair(0, 0));
  EXPECT_EQ(grid({{"system.sips.count", "4"}, {"system.sips.topology", "torus_2d"}}), std::make_pair(2, 2));
  EXPECT_EQ(grid({{"system.sips.count", "6"},
                  {"system.sips.topology", "torus_2d"},
                  {"system.sips.w", "3"},
                  {"system.sips.h", "2"}}),
            std::make_pair(3, 2));
  EXPECT_EQ(grid({{"system.sips.count", "6"},
                  {"system.sips.topology", "mesh_2d_no_wrap"},
                  {"system.sips.w", "2"},
                  {"system.sips.h", "3"}}),
            std::make_pair(2, 3));
  EXPECT_EQ(error_of_text(kMinimal, {{"system.sips.count", "6"}, {"system.sips.topology", "torus_2d"}}),
            "--set: system.sips.count: 6 SIPs form no square, so a torus_2d needs its grid (give system.sips.w and h "
            "with w * h equal to count)");
  EXPECT_EQ(error_of_text(kMinimal, {{"system.sips.count", "6"},
                                     {"system.sips.topology", "torus_2d"},
                                     {"system.sips.w", "2"},
                                     {"system.sips.h", "2"}}),
            "--set: system.sips.w: a grid of 2 x 2 SIPs does not hold 6 SIPs (w * h must equal count)");
}

}  // namespace
}  // namespace kb::topology
