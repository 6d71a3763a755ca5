#include "sim/run/host/machine_info.h"

#include <algorithm>

#include "platform/params/pe_scheduler_params.h"
#include "platform/topology/graph.h"

namespace kb::sim {

contract::MachineInfo machine_info(const topology::Graph& graph) {
  const topology::MachineSpec& spec = graph.spec;
  contract::MachineInfo info;
  info.sips = spec.sip_count;
  info.cubes_per_sip = spec.cubes_per_sip();
  info.cube_mesh_w = spec.cube_mesh_w;
  info.cube_mesh_h = spec.cube_mesh_h;
  info.pes_per_cube = spec.pes_per_cube();
  info.sip_topology = spec.sip_topology;
  info.sip_w = spec.sip_w;
  info.sip_h = spec.sip_h;
  info.hbm_slice_bytes = spec.hbm_slice_bytes();
  info.address_model = spec.address_model;
  info.page_size = spec.page_size;
  info.address_range = spec.address_range();
  info.tcm_bytes = spec.tcm_bytes_per_pe;
  info.scratch_bytes = spec.tcm_kernel_scratch_bytes;
  info.tcm_reserved_bytes = spec.tcm_scheduler_reserved_bytes;
  info.sram_bytes = spec.sram_bytes_per_cube;
  info.hbm_alignment = spec.flit_bytes();
  const auto dispatcher = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const topology::Node& node) {
    return node.kind == topology::NodeKind::pe_scheduler;
  });
  if (dispatcher != graph.nodes.end()) {  // all PEs share one template
    const auto& tiles = dispatcher->params.as<params::PeSchedulerParams>();
    info.tile_shape = {tiles.tile_m, tiles.tile_k, tiles.tile_n};
  }
  return info;
}

}  // namespace kb::sim
