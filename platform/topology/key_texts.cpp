#include "platform/topology/key_texts.h"

#include "platform/energy/events.h"
#include "platform/topology/key_record.h"

namespace kb::topology {
namespace {

void add_energy_texts(std::map<std::string, std::string>& texts) {
  const auto add = [&](const std::string& key, const std::string& text, const char* value) {
    texts[key] = text;
    texts[key + "." + value] = std::string("the value, in ") + (value[0] == 'w' ? "W" : "pJ");
    texts[key + ".low"] = "lower end of its range; default: the value";
    texts[key + ".high"] = "upper end of its range; default: the value";
    texts[key + ".node"] = "process or generation that it is for";
    texts[key + ".source"] = "where the value is from; needed";
  };
  for (std::size_t i = 0; i < energy::kParts; ++i) {
    const DisplayText& part = energy::word_of(static_cast<energy::Part>(i));
    const std::string key = "energy." + std::string(part.name);
    texts[key] = part.sentence;
    add(key + ".static", "static power of all blocks of the part together", "w");
  }
  for (const energy::EventRow& event : energy::events()) add(event.key(), event.text + ", in pJ", "pj");
}

std::map<std::string, std::string> make_texts() {
  std::map<std::string, std::string> texts{
      {"routing", "which way is the best"},
      {"routing.metric",
       "latency: least zero-load time of one full flit; distance: least millimetres, as in published figures"},
      {"routing.routing_weight_mm", "length that routes count for all edges of a kind, in place of their own"},
      {"system", "the tray: SIPs, and the PCIe switch between them"},
      {"system.ns_per_mm", "propagation on every wire"},
      {"system.sips", "the SIPs and the order in which collectives see them"},
      {"system.sips.count", "number of SIPs"},
      {"system.sips.topology", "ring, torus or mesh of SIPs, as collectives see them"},
      {"system.sips.w", "columns of the SIPs' grid: w * h = count; needed when the count is not a square"},
      {"system.sips.h", "rows of the SIPs' grid: w * h = count; needed when the count is not a square"},
      {"system.components", "blocks of the tray"},
      {"system.components.switch", "the tray's PCIe switch"},
      {"system.links", "links of the tray"},
      {"system.links.io_ep_to_switch_bw_gbs", "PCIe link between an IO chiplet and the switch"},
      {"system.links.io_ep_to_switch_mm", "length of the PCIe link between an IO chiplet and the switch"},
      {"sip", "cubes and IO chiplets; all SIPs are the same"},
      {"sip.cube_mesh", "the mesh of cubes; cube id = y * w + x, y grows southwards"},
      {"sip.cube_mesh.w", "columns of cubes; at most 16 cubes in all"},
      {"sip.cube_mesh.h", "rows of cubes; at most 16 cubes in all"},
      {"sip.io_chiplets", "IO chiplets; one of them must be io0, where host requests enter"},
      {"sip.io_chiplets[].id", "name of the chiplet; default: io and its place in the list"},
      {"sip.io_chiplets[].shoreline", "side of the SIP, at most two chiplets on each; default: the side that it feeds"},
      {"sip.io_chiplets[].components", "blocks of the IO chiplet"},
      {"sip.io_chiplets[].components.pcie_ep", "PCIe endpoint"},
      {"sip.io_chiplets[].components.io_cpu", "the CPU that passes launches on to cubes"},
      {"sip.io_chiplets[].components.io_noc", "NoC of the IO chiplet"},
      {"sip.io_chiplets[].components.io_ucie", "UCIe endpoint, one per PHY"},
      {"sip.io_chiplets[].components.ucie_conn", "connection of a UCIe endpoint, n_connections per PHY"},
      {"sip.io_chiplets[].links", "links of the IO chiplet"},
      {"sip.io_chiplets[].links.pcie_ep_to_noc_bw_gbs", "PCIe endpoint and NoC"},
      {"sip.io_chiplets[].links.io_cpu_to_noc_bw_gbs", "IO_CPU and NoC, for commands; 0: no limit"},
      {"sip.io_chiplets[].links.per_connection_bw_gbs", "IO chiplet and cube"},
      {"sip.io_chiplets[].n_connections", "connections per PHY; default: as of the cube's ports"},
      {"sip.io_chiplets[].cube_ports",
       "the cubes that the chiplet feeds; default: the first two of the north row; mandatory with several chiplets"},
      {"sip.io_chiplets[].cube_ports[].cube", "the cube"},
      {"sip.io_chiplets[].cube_ports[].cube.xy", "its coordinates, whole numbers"},
      {"sip.io_chiplets[].cube_ports[].cube_side", "the cube's side, which must be free and at the mesh's edge"},
      {"sip.io_chiplets[].cube_ports[].phy", "name of the PHY, e.g. P0; one port each"},
      {"sip.io_chiplets[].cube_ports[].distance_mm", "length of the link"},
      {"cube", "the cube; all cubes are the same"},
      {"cube.geometry", "sizes on the die"},
      {"cube.geometry.cube_mm", "size of the cube"},
      {"cube.geometry.cube_mm.w", "width of the cube, in mm"},
      {"cube.geometry.cube_mm.h", "height of the cube, in mm"},
      {"cube.geometry.hbm_mm", "size of the HBM, drawn only"},
      {"cube.geometry.hbm_mm.w", "width of the HBM, in mm; at most that of the cube"},
      {"cube.geometry.hbm_mm.h", "height of the HBM, in mm; at most that of the cube"},
      {"cube.pe_layout", "where the PEs are"},
      {"cube.pe_layout.corners", "corners with PEs, which are numbered corner by corner in this order"},
      {"cube.pe_layout.pe_per_corner", "PEs in each corner; at most 16 per cube"},
      {"cube.placement", "places of M_CPU and SRAM; each attaches to the nearest router"},
      {"cube.placement.m_cpu", "the M_CPU"},
      {"cube.placement.m_cpu.pos_mm", "[x, y] in the cube"},
      {"cube.placement.sram", "the SRAM"},
      {"cube.placement.sram.pos_mm", "[x, y] in the cube"},
      {"cube.mesh_file", "file that pins the router grid (kernbench topology --emit-mesh), relative to this one"},
      {"cube.ucie", "the UCIe ports N, E, S, W of a cube"},
      {"cube.ucie.n_connections", "connections of a port with routers"},
      {"cube.memory_map", "memories and addresses"},
      {"cube.memory_map.address_model",
       "va: one virtual range per tensor, translated by PE_MMU; la: one logical range, resolved in PE_DMA; pa: "
       "physical"},
      {"cube.memory_map.page_size", "of virtual addresses; a power of two"},
      {"cube.memory_map.address_range_gb",
       "virtual or logical addresses of a run; 0: as many as the machine has HBM, at least 64"},
      {"cube.memory_map.hbm_mapping_mode",
       "one_to_one: a router and a request per HBM channel for accesses of a PE to its own HBM; with address_model la"},
      {"cube.memory_map.hbm_pseudo_channels", "of a cube: channels per PE times PEs, which is the default"},
      {"cube.memory_map.hbm_channels_per_pe", "pseudo-channels per PE; a power of two"},
      {"cube.memory_map.hbm_channel_bw_gbs", "of one pseudo-channel"},
      {"cube.memory_map.hbm_slices_per_cube", "as many as PEs, which is the default"},
      {"cube.memory_map.hbm_total_gb_per_cube", "HBM of a cube; default: 6 GB per PE"},
      {"cube.memory_map.tcm_size_mb", "TCM per PE: the scheduler's part, kernel scratch, tensors and message rings"},
      {"cube.memory_map.tcm_scheduler_reserved_bytes", "the scheduler's part of the TCM"},
      {"cube.memory_map.tcm_kernel_scratch_bytes", "kernel scratch in the TCM"},
      {"cube.components", "blocks of the cube"},
      {"cube.components.noc_router", "router; its overhead is cube.links.router_overhead_ns"},
      {"cube.components.m_cpu", "the CPU that passes launches on to PEs"},
      {"cube.components.sram", "SRAM that the cube's PEs share"},
      {"cube.components.hbm_ctrl", "HBM controller, one per PE"},
      {"cube.components.ucie_conn", "connection of a UCIe port"},
      {"cube.links", "links of the cube"},
      {"cube.links.router_link_bw_gbs", "router and router"},
      {"cube.links.router_overhead_ns", "of every router"},
      {"cube.links.pe_to_router_bw_gbs", "PE_DMA and router"},
      {"cube.links.hbm_to_router_bw_gbs", "HBM slice and router: channels per PE times bandwidth of one, the default"},
      {"cube.links.sram_to_router_bw_gbs", "SRAM and router"},
      {"cube.links.noc_to_ucie_conn_bw_gbs", "router and each connection of a UCIe port"},
      {"cube.links.ucie_link_bw_gbs", "cube and cube"},
      {"cube.links.ucie_seam_mm", "length of the link between cubes"},
      {"cube.pe_template", "the PE; all PEs are the same"},
      {"cube.pe_template.components", "the nine blocks of a PE"},
      {"cube.pe_template.components.pe_cpu", "runs the kernel"},
      {"cube.pe_template.components.pe_scheduler", "cuts composites into tiles"},
      {"cube.pe_template.components.pe_dma", "loads and stores over the fabric"},
      {"cube.pe_template.components.pe_fetch_store", "moves tiles between TCM and engines"},
      {"cube.pe_template.components.pe_gemm", "matrix products"},
      {"cube.pe_template.components.pe_math", "element-wise operations and reductions"},
      {"cube.pe_template.components.pe_tcm", "the PE's own memory"},
      {"cube.pe_template.components.pe_mmu", "translates virtual addresses"},
      {"cube.pe_template.components.pe_ipcq", "message queues between PEs"},
      {"cube.pe_template.links", "lengths inside a PE"},
      {"cube.pe_template.links.scheduler_to_dma_mm", "PE_SCHEDULER to PE_DMA"},
      {"cube.pe_template.links.scheduler_to_fetch_store_mm", "PE_SCHEDULER to PE_FETCH_STORE"},
      {"cube.pe_template.links.scheduler_to_gemm_mm", "PE_SCHEDULER to PE_GEMM"},
      {"cube.pe_template.links.scheduler_to_math_mm", "PE_SCHEDULER to PE_MATH"},
      {"cube.pe_template.links.dma_to_fetch_store_mm", "PE_DMA to PE_FETCH_STORE"},
      {"cube.pe_template.links.fetch_store_to_gemm_mm", "PE_FETCH_STORE to PE_GEMM"},
      {"cube.pe_template.links.fetch_store_to_math_mm", "PE_FETCH_STORE to PE_MATH"},
      {"cube.pe_template.links.gemm_to_fetch_store_mm", "PE_GEMM to PE_FETCH_STORE"},
      {"cube.pe_template.links.gemm_to_math_mm", "PE_GEMM to PE_MATH"},
      {"cube.pe_template.links.math_to_fetch_store_mm", "PE_MATH to PE_FETCH_STORE"},
      {"cube.pe_template.links.fetch_store_to_dma_mm", "PE_FETCH_STORE to PE_DMA"},
      {"cube.pe_template.links.fetch_store_to_tcm_bw_gbs", "PE_FETCH_STORE and TCM; 0: no limit"},
      {"visualization", "drawings of the machine"},
      {"visualization.emit_views", "views that every run draws into its folder"},
      {"replace", "other implementations and attributes for single nodes and links, in this order"},
      {"replace[].nodes", "pattern of node ids ('kernbench topology --json' lists them), all of one kind"},
      {"replace[].links", "patterns of the ends of links, FROM -> TO"},
      {"energy", "what events cost; with this section runs say how many joules they take"},
      {"energy.defaults", "a named set of published coefficients; none: those of this section only"}};
  add_energy_texts(texts);
  return texts;
}

}  // namespace

const std::map<std::string, std::string>& key_texts() {
  static const std::map<std::string, std::string> texts = make_texts();
  return texts;
}

std::string key_text(const std::string& path) {
  const auto found = key_texts().find(general_key(path));
  return found == key_texts().end() ? "" : found->second;
}

}  // namespace kb::topology
