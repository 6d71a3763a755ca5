// Counts and sizes of a machine that a host program needs.
#pragma once

#include <cstdint>

#include "platform/base/machine_choices.h"
#include "platform/base/tile_shape.h"

namespace kb::contract {

struct MachineInfo {
  int sips = 1;
  int cubes_per_sip = 1;
  int cube_mesh_w = 1, cube_mesh_h = 1;
  int pes_per_cube = 1;
  SipTopology sip_topology = SipTopology::ring_1d;
  int sip_w = 0, sip_h = 0;  // 0, 0: the SIPs form no grid, for example a ring (K-10)
  std::uint64_t hbm_slice_bytes = 0;
  std::uint64_t hbm_alignment = 256;  // alignment of tensors in HBM, bytes: the size of a flit
  AddressModel address_model = AddressModel::pa;
  std::uint64_t page_size = 4096;
  std::uint64_t address_range = std::uint64_t{64} << 30;  // of virtual and of logical addresses, bytes
  std::uint64_t tcm_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  std::uint64_t tcm_reserved_bytes = 0;  // reserved for PE_SCHEDULER (P-48)
  std::uint64_t sram_bytes = 0;          // per cube
  TileShape tile_shape;                  // default tile shape of composites (P-20)
};

}  // namespace kb::contract
