#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "sim/study/probe/cases.h"

namespace kb::sim {
namespace {

using topology::Corner;
using topology::MachineSpec;
using topology::Side;

MachineSpec machine(int sips, int w, int h, int pes_per_corner = 2) {
  MachineSpec spec;
  spec.sip_count = sips;
  spec.cube_mesh_w = w;
  spec.cube_mesh_h = h;
  spec.corners = {Corner::NW, Corner::NE, Corner::SW, Corner::SE};
  spec.pe_per_corner = pes_per_corner;
  spec.hbm_bytes_per_cube = 48 * kGiB;
  spec.hbm_slices_per_cube = 8;
  spec.sram_bytes_per_cube = 32 * kMiB;
  spec.tcm_bytes_per_pe = 2 * kMiB;
  topology::IoChipletSpec io;
  io.cube_ports = {{0, 0, Side::N, "P0", 2.0}};
  spec.io_chiplets = {io};
  return spec;
}

const ProbeCase& find(const std::vector<ProbeCase>& cases, const std::string& name) {
  for (const ProbeCase& probe : cases) {
    if (probe.name == name) return probe;
  }
  throw std::runtime_error("no case " + name);
}

// H-85: on the 4x4 mesh the catalogue names cubes 0, 4, 8, 12, 1 and 15 and PEs 0, 1 and 4.
TEST(ProbeCases, ReferenceMachineHasTheCatalogue) {
  const std::vector<ProbeCase> cases = probe_cases(machine(2, 4, 4));
  EXPECT_EQ(cases.size(), 23u);
  for (const ProbeCase& probe : cases) EXPECT_EQ(probe.skipped, "") << probe.name;
  for (std::uint32_t hops = 1; hops <= 4; ++hops) {
    const std::string n = std::to_string(hops);
    EXPECT_EQ(find(cases, "h2d-" + n + "hop").target.cube, CubeId(4 * (hops - 1)));
    EXPECT_EQ(find(cases, "d2h-" + n + "hop").target.cube, CubeId(4 * (hops - 1)));
    EXPECT_EQ(find(cases, "h2d-" + n + "hop").op, TraceOp::host_write);
    EXPECT_EQ(find(cases, "d2h-" + n + "hop").op, TraceOp::host_read);
  }
  EXPECT_EQ(find(cases, "pe-local-hbm").target.pe, PeId(0));
  EXPECT_EQ(find(cases, "pe-same-half-hbm").target.pe, PeId(1));
  EXPECT_EQ(find(cases, "pe-cross-half-hbm").target.pe, PeId(4));
  EXPECT_EQ(find(cases, "pe-cross-cube-hbm-best").target.cube, CubeId(1));
  EXPECT_EQ(find(cases, "pe-cross-cube-hbm-worst").target.cube, CubeId(15));
  EXPECT_EQ(find(cases, "pe-cross-sip-hbm").target.sip, SipId(1));
}

TEST(ProbeCases, OnePeMachineSkipsWhatItCannotHave) {
  MachineSpec spec = machine(1, 1, 1, 1);
  spec.corners = {Corner::NW};
  std::vector<std::string> present;
  for (const ProbeCase& probe : probe_cases(spec)) {
    if (probe.skipped.empty()) present.push_back(probe.name);
  }
  EXPECT_THAT(present, testing::ElementsAre("h2d-1hop", "d2h-1hop", "pe-local-hbm", "pe-own-sram", "h2d-sram",
                                            "d2h-sram", "h2d-tcm", "d2h-tcm"));
}

TEST(ProbeCases, CubesFollowTheMeshAndTheFirstPort) {
  MachineSpec spec = machine(1, 3, 2);
  EXPECT_EQ(find(probe_cases(spec), "h2d-2hop").target.cube, CubeId(3));
  EXPECT_NE(find(probe_cases(spec), "h2d-3hop").skipped, "");
  EXPECT_EQ(find(probe_cases(spec), "pe-cross-cube-hbm-worst").target.cube, CubeId(5));
  spec.io_chiplets[0].cube_ports = {{2, 1, Side::E, "P0", 2.0}};
  EXPECT_EQ(find(probe_cases(spec), "h2d-1hop").target.cube, CubeId(5));
  EXPECT_EQ(find(probe_cases(spec), "h2d-3hop").target.cube, CubeId(3));
  spec = machine(1, 1, 2);
  EXPECT_EQ(find(probe_cases(spec), "pe-cross-cube-hbm-best").target.cube, CubeId(1));
  EXPECT_NE(find(probe_cases(spec), "pe-cross-cube-hbm-worst").skipped, "");
}

TEST(ProbeCases, RowsAddressTheStartOfTheTargetsSlice) {
  const MachineSpec spec = machine(2, 4, 4);
  const TraceRow row = probe_row(find(probe_cases(spec), "pe-cross-half-hbm"), spec);
  const address::PhysAddr target = address::PhysAddr::decode(row.dst);
  EXPECT_EQ(target.hbm_offset(), 4 * spec.hbm_slice_bytes());
  EXPECT_EQ(row.bytes, 32768u);
  EXPECT_EQ(row.op, TraceOp::pe_read);
  const address::PhysAddr tcm =
      address::PhysAddr::decode(probe_row(find(probe_cases(spec), "pe-same-half-tcm"), spec).dst);
  EXPECT_TRUE(tcm.is_tcm());
  EXPECT_EQ(tcm.pe(), PeId(1));
  const address::PhysAddr sram =
      address::PhysAddr::decode(probe_row(find(probe_cases(spec), "pe-cross-cube-sram"), spec).dst);
  EXPECT_TRUE(sram.is_sram());
  EXPECT_EQ(sram.cube(), CubeId(1));
  ProbeCase skipped;
  skipped.skipped = "no";
  EXPECT_THROW(probe_row(skipped, spec), Error);
}

}  // namespace
}  // namespace kb::sim
