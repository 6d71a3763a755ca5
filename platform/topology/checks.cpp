// Rules over several keys. Each violation is reported at the key that the user set.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "platform/base/units.h"
#include "platform/params/hbm_banked_params.h"
#include "platform/topology/balance.h"
#include "platform/topology/mesh_layout.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

using Keys = std::vector<std::string>;

const std::string kMemory = "cube.memory_map.";
const std::string kHbmAttrs = "cube.components.hbm_ctrl.attrs.";
const std::string kPeCount[2] = {"cube.pe_layout.pe_per_corner", "cube.pe_layout.corners"};

void check_ceilings(const MachineSpec& spec, ReadContext& context) {
  if (spec.cubes_per_sip() > 16) {
    context.report_rule({"sip.cube_mesh.w", "sip.cube_mesh.h"},
                        fmt::format("a SIP of {} x {} cubes has {} cubes, but addresses reach 16", spec.cube_mesh_w,
                                    spec.cube_mesh_h, spec.cubes_per_sip()),
                        "w * h must be at most 16");
  }
  if (spec.pes_per_cube() > 16) {
    context.report_rule({kPeCount[0], kPeCount[1]},
                        fmt::format("{} corners with {} PEs each make {} PEs per cube, but addresses reach 16",
                                    spec.corners.size(), spec.pe_per_corner, spec.pes_per_cube()),
                        "corners * pe_per_corner must be at most 16");
  }
}

void check_hbm(const MachineSpec& spec, ReadContext& context) {
  const int pes = spec.pes_per_cube();
  if (spec.hbm_slices_per_cube != pes) {
    context.report_rule({kMemory + "hbm_slices_per_cube", kPeCount[0], kPeCount[1]},
                        fmt::format("{} HBM slices per cube, but {} PEs", spec.hbm_slices_per_cube, pes),
                        fmt::format("write {}, or leave the key out", pes));
  } else if (spec.hbm_bytes_per_cube % static_cast<std::uint64_t>(pes) != 0) {
    context.report_rule(
        {kMemory + "hbm_total_gb_per_cube", kMemory + "hbm_slices_per_cube", kPeCount[0], kPeCount[1]},
        fmt::format("{} of HBM cannot be divided into {} equal slices", format_bytes(spec.hbm_bytes_per_cube), pes),
        "write a multiple of the slice count");
  } else if (spec.hbm_slice_bytes() % spec.flit_bytes() != 0) {
    context.report_rule({kMemory + "hbm_total_gb_per_cube", kHbmAttrs + "burst_bytes", kPeCount[0], kPeCount[1]},
                        fmt::format("an HBM slice of {} bytes is not a multiple of burst_bytes = {}",
                                    spec.hbm_slice_bytes(), spec.flit_bytes()),
                        "choose a capacity that is");
  }
  if (spec.hbm_pseudo_channels != spec.hbm_channels_per_pe * pes) {
    context.report_rule({kMemory + "hbm_pseudo_channels", kMemory + "hbm_channels_per_pe", kPeCount[0], kPeCount[1]},
                        fmt::format("{} pseudo-channels are not {} channels per PE * {} PEs", spec.hbm_pseudo_channels,
                                    spec.hbm_channels_per_pe, pes),
                        fmt::format("write {}, or leave one of the two keys out", spec.hbm_channels_per_pe * pes));
  }
  const std::int64_t num_pcs = spec.hbm_ctrl().num_pcs;
  if (num_pcs != spec.hbm_channels_per_pe) {
    context.report_rule({kHbmAttrs + "num_pcs", kMemory + "hbm_channels_per_pe", kMemory + "hbm_pseudo_channels"},
                        fmt::format("num_pcs is {}, but a PE has {} HBM channels", num_pcs, spec.hbm_channels_per_pe),
                        "num_pcs must equal cube.memory_map.hbm_channels_per_pe");
  } else if ((num_pcs & (num_pcs - 1)) != 0) {
    context.report_rule({kHbmAttrs + "num_pcs", kMemory + "hbm_channels_per_pe", kMemory + "hbm_pseudo_channels"},
                        fmt::format("{} channels per PE is not a power of two", num_pcs), "write for example 8");
  }
  const std::int64_t burst = spec.hbm_ctrl().burst_bytes, access = spec.hbm_ctrl().access_bytes;
  if (access > burst) {
    context.report_rule({kHbmAttrs + "access_bytes", kHbmAttrs + "burst_bytes"},
                        fmt::format("access_bytes is {}, but a burst has {} bytes", access, burst),
                        fmt::format("write {} or a smaller power of two", burst));
  }
  const double written = spec.hbm_to_router_bw.gbs(), local = (spec.hbm_channel_bw * spec.hbm_channels_per_pe).gbs();
  if (std::abs(written - local) > 1e-9 * local) {
    context.report_rule({"cube.links.hbm_to_router_bw_gbs", kMemory + "hbm_channel_bw_gbs",
                         kMemory + "hbm_channels_per_pe", kMemory + "hbm_pseudo_channels"},
                        fmt::format("hbm_to_router_bw_gbs is {}, but {} channels of {} GB/s make {}", written,
                                    spec.hbm_channels_per_pe, spec.hbm_channel_bw.gbs(), local),
                        fmt::format("write {}, or leave the key out and change {}hbm_channel_bw_gbs", local, kMemory));
  }
}

// C-DRAM-1: banks of a controller hold its slice at the rate of its preset.
void check_banks(const MachineSpec& spec, ReadContext& context) {
  const ComponentSpec& component = spec.cube_components.at("hbm_ctrl");
  if (component.impl != params::kHbmBanked) return;
  if (context.has_bad_below("cube.components.hbm_ctrl")) return;  // other problems would only be consequences
  const auto& banked = component.impl_params.as<params::HbmBankedParams>();
  for (const params::MemoryProblem& problem : problems_of(banked, spec.hbm_ctrl(), spec.hbm_slice_bytes())) {
    Keys keys;
    for (const std::string& key : problem.keys) keys.push_back(kHbmAttrs + key);
    keys.insert(keys.end(), {kMemory + "hbm_channels_per_pe", "cube.components.hbm_ctrl.impl"});
    context.report_rule(keys, problem.text, problem.remedy);
  }
  if (const std::optional<std::string> text = wrong_rate(banked, spec.hbm_channel_bw)) {
    context.report_rule(
        {kMemory + "hbm_channel_bw_gbs", kHbmAttrs + "preset", "cube.components.hbm_ctrl.impl"}, *text,
        fmt::format("write {}hbm_channel_bw_gbs: {:g}, or another preset", kMemory, banked.standard().channel_gbs()));
  }
}

// T-56: only logical addresses are split into channels.
void check_mapping(const MachineSpec& spec, ReadContext& context) {
  if (spec.hbm_mapping_mode != HbmMapping::one_to_one || spec.address_model == AddressModel::la) return;
  context.report_rule({kMemory + "hbm_mapping_mode", kMemory + "address_model"},
                      fmt::format("one_to_one gives each HBM channel accesses of its own, which takes logical "
                                  "addresses, but address_model is {}",
                                  name_of(spec.address_model)),
                      "write address_model: la beside it, or n_to_one, which gives the same bandwidth per PE");
}

void check_tcm(const MachineSpec& spec, ReadContext& context) {
  const std::uint64_t taken = spec.tcm_scheduler_reserved_bytes + spec.tcm_kernel_scratch_bytes;
  if (taken < spec.tcm_bytes_per_pe) return;
  context.report_rule({kMemory + "tcm_size_mb", "cube.pe_template.components.pe_tcm.attrs.size_mb",
                       kMemory + "tcm_scheduler_reserved_bytes", kMemory + "tcm_kernel_scratch_bytes"},
                      fmt::format("a TCM of {} has no room left for tensors: the scheduler reserves {} and kernel "
                                  "scratch takes {}",
                                  format_bytes(spec.tcm_bytes_per_pe), format_bytes(spec.tcm_scheduler_reserved_bytes),
                                  format_bytes(spec.tcm_kernel_scratch_bytes)),
                      "enlarge tcm_size_mb, or reduce tcm_scheduler_reserved_bytes or tcm_kernel_scratch_bytes");
}

// PE columns and rows keep their insets (T-43, T-45).
void check_geometry(const MachineSpec& spec, ReadContext& context) {
  const std::string geometry = "cube.geometry.cube_mm.";
  const double min_w = 3.0 + 0.2 * (spec.pe_per_corner - 0.5);
  if (spec.cube_mm_w < min_w) {
    context.report_rule(
        {geometry + "w", kPeCount[0]},
        fmt::format("a cube {} mm wide has no room for {} PEs per corner", spec.cube_mm_w, spec.pe_per_corner),
        fmt::format("it must be at least {} mm wide", min_w));
  }
  const double min_h = 9.0 + 0.2 * (rows_per_half(spec) - 1);
  if (spec.cube_mm_h < min_h) {
    context.report_rule({geometry + "h", "cube.ucie.n_connections"},
                        fmt::format("a cube {} mm high has no room for its PE and HBM rows", spec.cube_mm_h),
                        fmt::format("it must be at least {} mm high", min_h));
  }
  if (spec.hbm_mm_w > spec.cube_mm_w || spec.hbm_mm_h > spec.cube_mm_h) {
    context.report_rule({"cube.geometry.hbm_mm.w", "cube.geometry.hbm_mm.h", geometry + "w", geometry + "h"},
                        fmt::format("the HBM ({} x {} mm) is larger than the cube ({} x {} mm)", spec.hbm_mm_w,
                                    spec.hbm_mm_h, spec.cube_mm_w, spec.cube_mm_h),
                        "reduce cube.geometry.hbm_mm");
  }
  const auto inside = [&](const char* block, double x, double y) {
    if (x <= spec.cube_mm_w && y <= spec.cube_mm_h) return;
    context.report_rule({fmt::format("cube.placement.{}.pos_mm", block), geometry + "w", geometry + "h"},
                        fmt::format("{} at {} lies outside the cube of {} x {} mm", block, pair_text(x, y),
                                    spec.cube_mm_w, spec.cube_mm_h),
                        "place it inside");
  };
  inside("m_cpu", spec.m_cpu_x, spec.m_cpu_y);
  inside("sram", spec.sram_x, spec.sram_y);
}

bool valid_id(const std::string& id, bool capitals) {
  if (id.empty() || (id[0] >= '0' && id[0] <= '9')) return false;
  for (char c : id) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (capitals && c >= 'A' && c <= 'Z');
    if (!ok) return false;
  }
  return true;
}

// A cube's UCIe port has one link: to the neighbouring cube, or at the edge of the mesh to an IO chiplet (T-22).
void check_port(const MachineSpec& spec, const CubePortSpec& port, const std::string& path, ReadContext& context,
                std::map<std::string, std::string>& used) {
  const int x = port.cube_x;
  const int y = port.cube_y;
  if (x >= spec.cube_mesh_w || y >= spec.cube_mesh_h) {
    context.report_rule(
        {path + ".cube.xy", "sip.cube_mesh.w", "sip.cube_mesh.h"},
        fmt::format("there is no cube [{}, {}] in a mesh of {} x {}", x, y, spec.cube_mesh_w, spec.cube_mesh_h),
        fmt::format("x goes up to {}, y up to {}", spec.cube_mesh_w - 1, spec.cube_mesh_h - 1));
    return;
  }
  const bool at_edge =
      (port.cube_side == Side::N && y == 0) || (port.cube_side == Side::S && y == spec.cube_mesh_h - 1) ||
      (port.cube_side == Side::W && x == 0) || (port.cube_side == Side::E && x == spec.cube_mesh_w - 1);
  const std::string& side = side_names()[static_cast<std::size_t>(port.cube_side)];
  const Keys keys{path + ".cube_side", path + ".cube.xy"};
  if (!at_edge) {
    context.report_rule(keys, fmt::format("side {} of cube [{}, {}] already joins the neighbouring cube", side, x, y),
                        "choose a side at the edge of the cube mesh");
    return;
  }
  const auto [it, fresh] = used.emplace(fmt::format("{},{},{}", x, y, side), path);
  if (!fresh) {
    context.report_rule(keys, fmt::format("side {} of cube [{}, {}] is already used by {}", side, x, y, it->second),
                        "choose another cube or side");
  }
}

void check_io_chiplets(const MachineSpec& spec, ReadContext& context) {
  std::set<std::string> ids;
  std::map<std::string, std::string> used;
  std::map<Side, int> per_shoreline;
  for (std::size_t i = 0; i < spec.io_chiplets.size(); ++i) {
    const IoChipletSpec& io = spec.io_chiplets[i];
    const std::string path = fmt::format("sip.io_chiplets[{}]", i);
    if (!valid_id(io.id, false) || io.id.rfind("cube", 0) == 0) {
      context.report_rule({path + ".id"}, fmt::format("'{}' cannot name an IO chiplet", io.id),
                          "use lower-case letters, digits and _, e.g. io1");
    } else if (!ids.insert(io.id).second) {
      context.report_rule({path + ".id"}, fmt::format("two IO chiplets are named '{}'", io.id), "rename one of them");
    }
    if (io.shoreline && ++per_shoreline[*io.shoreline] == 3) {
      context.report_rule({path + ".shoreline", path + ".cube_ports"},
                          fmt::format("shoreline {} carries more than two IO chiplets",
                                      side_names()[static_cast<std::size_t>(*io.shoreline)]),
                          "move one to another shoreline");
    }
    std::set<std::string> phys;
    for (std::size_t p = 0; p < io.cube_ports.size(); ++p) {
      const std::string port = fmt::format("{}.cube_ports[{}]", path, p);
      const std::string& phy = io.cube_ports[p].phy;
      if (!valid_id(phy, true)) {
        context.report_rule({port + ".phy"}, fmt::format("'{}' cannot name a PHY", phy),
                            "use letters, digits and _, e.g. P0");
      } else if (!phys.insert(phy).second) {
        context.report_rule({port + ".phy"}, fmt::format("two PHYs of {} are named '{}'", io.id, phy),
                            "rename one of them");
      }
      check_port(spec, io.cube_ports[p], port, context, used);
    }
  }
  if (ids.count("io0") == 0) {
    context.report_rule({"sip.io_chiplets[0].id", "sip.io_chiplets"}, "no IO chiplet is named io0",
                        "host requests enter there: name one io0");
  }
}

}  // namespace

void check_machine(const MachineSpec& spec, ReadContext& context) {
  check_ceilings(spec, context);
  if (spec.pes_per_cube() <= 16) check_hbm(spec, context);  // otherwise its problems would only be consequences
  check_banks(spec, context);
  check_mapping(spec, context);
  check_tcm(spec, context);
  check_geometry(spec, context);
  check_io_chiplets(spec, context);
  const double connections = std::ceil(spec.ucie_link_bw / spec.noc_to_ucie_conn_bw);
  if (connections != spec.ucie_n_connections) {  // T-37
    context.warn_rule({"cube.ucie.n_connections", "cube.links.ucie_link_bw_gbs", "cube.links.noc_to_ucie_conn_bw_gbs"},
                      fmt::format("{} connections of {} GB/s do not match a UCIe link of {} GB/s",
                                  spec.ucie_n_connections, spec.noc_to_ucie_conn_bw.gbs(), spec.ucie_link_bw.gbs()),
                      fmt::format("{} connections would", connections));
  }
  warn_of_unused_bandwidth(spec, context);
}

}  // namespace kb::topology
