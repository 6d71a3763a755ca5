#include <fmt/format.h>

#include <algorithm>

#include "platform/base/units.h"
#include "platform/dram/address_map.h"
#include "platform/params/hbm_banked_params.h"
#include "platform/topology/schema.h"
#include "platform/topology/topology.h"
#include "platform/topology/words.h"

namespace kb::topology {
namespace {

std::string line(const std::string& label, const std::string& text) {
  return fmt::format("  {:<22}{}\n", label, text);
}

std::string shape_text(const MachineSpec& spec) {
  std::string grid = name_of(spec.sip_topology);
  if (spec.sip_w > 0) grid += fmt::format(", {} x {}", spec.sip_w, spec.sip_h);
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  std::string out = "Shape\n";
  out += line("PEs in all", fmt::format("{}", spec.pe_count()));
  out += line("tray", fmt::format("{} ({}) on one PCIe switch, {} per IO chiplet", plural(size(spec.sip_count), "SIP"),
                                  grid, bandwidth_text(spec.io_ep_to_switch_bw)));
  out += line("SIP",
              fmt::format("{} x {} {}, {}", spec.cube_mesh_w, spec.cube_mesh_h,
                          spec.cubes_per_sip() == 1 ? "cube" : "cubes", plural(spec.io_chiplets.size(), "IO chiplet")));
  for (const IoChipletSpec& io : spec.io_chiplets) {
    std::string ports;
    for (const CubePortSpec& port : io.cube_ports) {
      ports += fmt::format("{}{} to cube {} side {}", ports.empty() ? "" : ", ", port.phy,
                           port.cube_y * spec.cube_mesh_w + port.cube_x,
                           side_names()[static_cast<std::size_t>(port.cube_side)]);
    }
    out += line("  " + io.id, fmt::format("{} ({} each)", ports, bandwidth_text(io.per_connection_bw)));
  }
  out += line("cube", fmt::format("{} x {} mm, {}, M_CPU, SRAM, UCIe ports N E S W", spec.cube_mm_w, spec.cube_mm_h,
                                  plural(size(spec.pes_per_cube()), "PE")));
  return out;
}

std::string memory_text(const MachineSpec& spec) {
  const auto cubes = static_cast<std::uint64_t>(spec.sip_count) * static_cast<std::uint64_t>(spec.cubes_per_sip());
  const auto pes = static_cast<std::uint64_t>(spec.pes_per_cube());
  const auto row = [](const char* name, const std::string& pe, std::uint64_t cube, std::uint64_t all) {
    return fmt::format("  {:<22}{:>12}{:>12}{:>12}\n", name, pe, format_bytes(cube), format_bytes(all));
  };
  std::string out = fmt::format("Memory                  {:>12}{:>12}{:>12}\n", "per PE", "per cube", "machine");
  out += row("HBM", format_bytes(spec.hbm_slice_bytes()), spec.hbm_bytes_per_cube, spec.hbm_bytes_per_cube * cubes);
  out += row("shared SRAM", "-", spec.sram_bytes_per_cube, spec.sram_bytes_per_cube * cubes);
  out +=
      row("TCM", format_bytes(spec.tcm_bytes_per_pe), spec.tcm_bytes_per_pe * pes, spec.tcm_bytes_per_pe * pes * cubes);
  const std::uint64_t tensors =
      spec.tcm_bytes_per_pe - spec.tcm_scheduler_reserved_bytes - spec.tcm_kernel_scratch_bytes;
  out += fmt::format("  a PE's TCM holds {} for the scheduler, {} of kernel scratch and {} for tensors\n",
                     format_bytes(spec.tcm_scheduler_reserved_bytes), format_bytes(spec.tcm_kernel_scratch_bytes),
                     format_bytes(tensors));
  return out;
}

double overhead_of(const ComponentSpec& component) {
  return std::get<double>(*component.params.find("overhead_ns"));
}

// T-56: the path of an access to the PE's own partition, instead of its ordinary router.
std::string channel_text(const Graph& graph) {
  const auto is_lane = [](const Edge& edge) { return edge.kind == EdgeKind::pe_to_channel; };
  const auto lane = std::find_if(graph.edges.begin(), graph.edges.end(), is_lane);
  if (lane == graph.edges.end()) return "";
  const MachineSpec& spec = graph.spec;
  const double efficiency = spec.hbm_ctrl().efficiency;
  return line("HBM channels", fmt::format("one_to_one: {} routers per PE, {} to PE_DMA and {} to the HBM each",
                                          spec.hbm_channels_per_pe, bandwidth_text(lane->bw),
                                          bandwidth_text(spec.hbm_channel_bw * efficiency)));
}

// Lines about controllers with banks: geometry, order of address bits, queues.
std::string banks_text(const MachineSpec& spec) {
  const ComponentSpec& component = spec.cube_components.at("hbm_ctrl");
  if (component.impl != params::kHbmBanked) return "";
  const auto& banked = component.impl_params.as<params::HbmBankedParams>();
  const dram::Standard standard = banked.standard();
  const dram::Geometry& g = standard.geometry;
  std::string out =
      line("HBM banks",
           fmt::format("{}: {} x {} bank groups x {} banks x {} rows of 1 KiB per pseudo-channel", standard.name,
                       plural(static_cast<std::size_t>(g.sids), "stack ID"), g.bank_groups, g.banks, g.rows));
  out += line("HBM map", fmt::format("{}{}, from the lowest 32 B up",
                                     banked.map_text().empty() ? dram::AddressMap::default_text(g) : banked.map,
                                     banked.hash == dram::BankHash::none ? "" : ", hash xor"));
  out += line("HBM queue", fmt::format("{} reads and {} writes of {} B per channel of two pseudo-channels",
                                       banked.read_entries, banked.write_entries, spec.flit_bytes()));
  return out;
}

std::string timing_text(const Graph& graph) {
  const MachineSpec& spec = graph.spec;
  const double efficiency = spec.hbm_ctrl().efficiency;
  const Bandwidth local = spec.hbm_to_router_bw * efficiency;
  std::string out = "Bandwidth, each direction\n";
  out += line("PE to router", bandwidth_text(spec.pe_to_router_bw));
  out += line("HBM to router", fmt::format("{} per PE ({} channels of {} GB/s), {} per cube", bandwidth_text(local),
                                           spec.hbm_channels_per_pe, spec.hbm_channel_bw.gbs(),
                                           bandwidth_text(local * spec.pes_per_cube())));
  out += channel_text(graph);
  out += banks_text(spec);
  out += line("router to router", bandwidth_text(spec.router_link_bw));
  out += line("SRAM to router", bandwidth_text(spec.sram_to_router_bw));
  out += line("cube to cube",
              fmt::format("{} per port, {} connections of {} to the routers", bandwidth_text(spec.ucie_link_bw),
                          spec.ucie_n_connections, bandwidth_text(spec.noc_to_ucie_conn_bw)));
  out += line("PCIe endpoint", bandwidth_text(spec.io_chiplets.front().pcie_ep_to_noc_bw));
  out += "\nDelay per transaction\n";
  out += line("router", fmt::format("{} ns", spec.router_overhead_ns));
  out += line("UCIe endpoint", fmt::format("{} ns", overhead_of(spec.ucie)));
  out += line("SRAM / HBM_CTRL", fmt::format("{} / {} ns", overhead_of(spec.cube_components.at("sram")),
                                             overhead_of(spec.cube_components.at("hbm_ctrl"))));
  out += line("PCIE_EP / IO_CPU", fmt::format("{} / {} ns", overhead_of(spec.io_chiplets.front().pcie_ep),
                                              overhead_of(spec.io_chiplets.front().io_cpu)));
  out += line("M_CPU / switch", fmt::format("{} / {} ns", overhead_of(spec.cube_components.at("m_cpu")),
                                            overhead_of(spec.switch_component)));
  out += line("wire", fmt::format("{} ns per mm", spec.ns_per_mm));
  return out;
}

// Attachments of a router: "PE0 NW" = a PE and connections of the ports N and W.
std::string cell_text(const MeshLayout& mesh, GridPoint at) {
  if (!mesh.exists(at)) return "";
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
  for (std::size_t pe = 0; pe < mesh.pes.size(); ++pe) {
    if (mesh.pes[pe].router == at) add(fmt::format("PE{}", pe));
  }
  if (mesh.m_cpu == at) add("M_CPU");
  if (mesh.sram == at) add("SRAM");
  std::string sides;
  for (Side side : {Side::N, Side::S, Side::E, Side::W}) {
    const std::vector<GridPoint>& points = mesh.ucie[static_cast<std::size_t>(side)];
    if (std::find(points.begin(), points.end(), at) != points.end())
      sides += side_names()[static_cast<std::size_t>(side)];
  }
  if (!sides.empty()) add("+" + sides);
  return out.empty() ? "." : out;
}

std::string mesh_text(const MeshLayout& mesh) {
  std::string out = fmt::format(
      "Router grid of a cube: {}, {} x {}\n", plural(static_cast<std::size_t>(mesh.router_count()), "router"),
      plural(static_cast<std::size_t>(mesh.rows()), "row"), plural(static_cast<std::size_t>(mesh.cols()), "column"));
  std::size_t width = 6;
  for (int row = 0; row < mesh.rows(); ++row) {
    for (int col = 0; col < mesh.cols(); ++col) width = std::max(width, cell_text(mesh, {row, col}).size());
  }
  out += fmt::format("  {:<11}", "y \\ x mm");
  for (double x : mesh.column_x) out += fmt::format("{:<{}}  ", x, width);
  while (out.back() == ' ') out.pop_back();
  out += "\n";
  for (int row = 0; row < mesh.rows(); ++row) {
    out += fmt::format("  r{:<3}{:<7}", row, mesh.row_y[static_cast<std::size_t>(row)]);
    for (int col = 0; col < mesh.cols(); ++col) out += fmt::format("{:<{}}  ", cell_text(mesh, {row, col}), width);
    while (out.back() == ' ') out.pop_back();
    out += "\n";
  }
  out += "  . is a router alone; +N +S +E +W: connections of the UCIe ports; each PE has its HBM slice at its router";
  if (!mesh.holes.empty()) out += ";\n  blank: no router, the HBM is there";
  return out + "\n";
}

std::string graph_text(const Graph& graph) {
  return "Graph\n" + line("size", fmt::format("{} and {}, flits of {} bytes", plural(graph.nodes.size(), "node"),
                                              plural(graph.edges.size(), "directed edge"), graph.spec.flit_bytes()));
}

}  // namespace

std::string render_summary(const LoadedTopology& topology) {
  const MachineSpec& spec = topology.graph.spec;
  std::string out = fmt::format("Machine {} (sha256 {})\n\n", topology.file, topology.sha256.substr(0, 12));
  out += shape_text(spec) + "\n" + memory_text(spec) + "\n" + timing_text(topology.graph) + "\n" +
         mesh_text(topology.mesh) + "\n" + graph_text(topology.graph) + energy_text(spec);
  std::string overridden, replaced;
  for (const auto& [key, value] : topology.config) {
    const std::string text = fmt::format("  {} = {}\n", key, value.value);
    if (value.origin == "--set") overridden += text;
    if (value.origin == "file" && key.rfind("replace[", 0) == 0) replaced += text;
  }
  if (!replaced.empty()) out += "\nReplaced nodes and links, which the values above do not show\n" + replaced;
  if (!overridden.empty()) out += "\nSet on the command line\n" + overridden;
  for (const Diagnostic& warning : topology.warnings) out += "\nwarning: " + warning.text() + "\n";
  return out;
}

}  // namespace kb::topology
