#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/units.h"
#include "platform/params/pe_engine_params.h"
#include "platform/params/pe_mmu_params.h"
#include "platform/params/pe_tcm_params.h"
#include "platform/params/sram_params.h"
#include "platform/topology/component_rules.h"
#include "platform/topology/implementations.h"
#include "platform/topology/schema.h"

namespace kb::topology {
namespace {

constexpr std::int64_t kGbPerSlice = 6;  // T-11: 48 GB in 8 slices

// A capacity in binary units; it must be a whole number of bytes.
std::uint64_t to_bytes(ReadContext& context, const std::string& key, double value, std::uint64_t unit) {
  const double bytes = value * static_cast<double>(unit);
  if (bytes != std::floor(bytes)) {
    context.report_rule({key}, fmt::format("{} is not a whole number of bytes", value), "write for example 2 or 0.5");
  }
  return static_cast<std::uint64_t>(bytes);
}

void read_layout(MapReader& cube, MachineSpec& spec) {
  MapReader geometry = cube.map("geometry");
  const auto read_size = [&](const char* key, double& w, double& h) {
    MapReader size = geometry.map(key);
    w = size.real("w", w, positive(100.0));
    h = size.real("h", h, positive(100.0));
    size.done();
  };
  read_size("cube_mm", spec.cube_mm_w, spec.cube_mm_h);
  spec.hbm_mm_w = std::min(spec.hbm_mm_w, spec.cube_mm_w);
  spec.hbm_mm_h = std::min(spec.hbm_mm_h, spec.cube_mm_h);
  read_size("hbm_mm", spec.hbm_mm_w, spec.hbm_mm_h);
  geometry.done();

  MapReader layout = cube.map("pe_layout");
  for (std::size_t corner : layout.choices("corners", nullptr, corner_names())) {
    spec.corners.push_back(static_cast<Corner>(corner));
  }
  if (spec.corners.empty() && !layout.context().is_bad(layout.path("corners"))) {
    layout.report("corners", "a cube without corners has no PEs", "list some of NW, NE, SW, SE");
  }
  spec.pe_per_corner = static_cast<int>(layout.whole("pe_per_corner", std::nullopt, at_least(1, 16)));
  layout.done();

  MapReader placement = cube.map("placement");
  const auto read_place = [&](const char* key, double& x, double& y) {
    MapReader block = placement.map(key);
    const auto [px, py] = block.pair("pos_mm", std::make_pair(x, y), at_least(0.0, 100.0));
    x = px;
    y = py;
    block.done();
  };
  read_place("m_cpu", spec.m_cpu_x, spec.m_cpu_y);
  read_place("sram", spec.sram_x, spec.sram_y);
  placement.done();
  cube.allow("mesh_file");
  spec.mesh_file = cube.has("mesh_file") ? cube.text("mesh_file", std::nullopt) : "";
  cube.context().note_known("cube.mesh_file");

  MapReader ucie = cube.map("ucie");
  spec.ucie_n_connections = static_cast<int>(ucie.whole("n_connections", 4, at_least(1, 64)));
  spec.ucie = read_component(ucie, NodeKind::ucie);
  ucie.done();
}

// The channel counts determine each other: one or both may be set (T-23).
void read_channels(MapReader& memory, MachineSpec& spec) {
  const std::int64_t pes = std::max(1, spec.pes_per_cube());
  const Bounds count = at_least(1, 16384);
  std::int64_t per_pe = 8;
  if (memory.has("hbm_pseudo_channels") && !memory.has("hbm_channels_per_pe")) {
    const std::int64_t total = memory.whole("hbm_pseudo_channels", std::nullopt, count);
    if (total % pes != 0) {
      memory.context().report_rule(
          {memory.path("hbm_pseudo_channels"), "cube.pe_layout.corners", "cube.pe_layout.pe_per_corner"},
          fmt::format("{} pseudo-channels cannot be shared equally by {} PEs", total, pes),
          "write a multiple of the PE count");
      memory.context().mark_bad(memory.path("hbm_pseudo_channels"));
    }
    per_pe = std::max<std::int64_t>(1, total / pes);
  }
  per_pe = memory.whole("hbm_channels_per_pe", per_pe, at_least(1, 1024));
  spec.hbm_channels_per_pe = static_cast<int>(per_pe);
  spec.hbm_pseudo_channels = static_cast<int>(memory.whole("hbm_pseudo_channels", per_pe * pes, count));
  spec.hbm_channel_bw = memory.bandwidth("hbm_channel_bw_gbs", 32.0);
}

void read_memory(MapReader& memory, MachineSpec& spec) {
  spec.address_model = static_cast<AddressModel>(memory.choice("address_model", 1, names_of<AddressModel>()));
  const double range_gb = memory.real("address_range_gb", 0.0, at_least(0, 1 << 20));
  spec.address_range_bytes = to_bytes(memory.context(), memory.path("address_range_gb"), range_gb, kGiB);
  const std::vector<std::string> modes{"n_to_one", "one_to_one"};
  spec.hbm_mapping_mode = static_cast<HbmMapping>(memory.choice("hbm_mapping_mode", 0, modes));
  read_channels(memory, spec);
  const std::int64_t pes = std::max(1, spec.pes_per_cube());
  spec.hbm_slices_per_cube = static_cast<int>(memory.whole("hbm_slices_per_cube", pes, at_least(1, 16)));
  const double gb = memory.real("hbm_total_gb_per_cube",
                                static_cast<double>(kGbPerSlice * std::min<std::int64_t>(pes, 16)), positive(128.0));
  spec.hbm_bytes_per_cube = to_bytes(memory.context(), memory.path("hbm_total_gb_per_cube"), gb, kGiB);
  const Bounds tcm_bytes = at_least(0, 32.0 * static_cast<double>(kMiB));
  spec.tcm_scheduler_reserved_bytes =
      static_cast<std::uint64_t>(memory.whole("tcm_scheduler_reserved_bytes", 512 * kKiB, tcm_bytes));
  spec.tcm_kernel_scratch_bytes = static_cast<std::uint64_t>(memory.whole("tcm_kernel_scratch_bytes", kMiB, tcm_bytes));
}

void read_components(MapReader& cube, MachineSpec& spec) {
  MapReader components = cube.map("components");
  const auto slot = [&](const char* name, NodeKind kind, const auto&... defaults) {
    MapReader component = components.map(name);
    spec.cube_components[name] = read_component(component, kind, defaults...);
    component.done();
  };
  slot("noc_router", NodeKind::noc_router);
  slot("m_cpu", NodeKind::m_cpu);
  slot("sram", NodeKind::sram);
  params::HbmCtrlParams hbm;
  hbm.num_pcs = spec.hbm_channels_per_pe;
  slot("hbm_ctrl", NodeKind::hbm_ctrl, hbm);
  slot("ucie_conn", NodeKind::ucie_conn);
  components.done();
  spec.sram_bytes_per_cube = to_bytes(cube.context(), "cube.components.sram.attrs.size_mb",
                                      spec.cube_components["sram"].params.as<params::SramParams>().size.mb(), kMiB);
}

void read_links(MapReader& links, MachineSpec& spec) {
  spec.router_link_bw = links.bandwidth("router_link_bw_gbs", 256.0);
  spec.router_overhead_ns = links.real("router_overhead_ns", 2.0, duration_ns());
  spec.pe_to_router_bw = links.bandwidth("pe_to_router_bw_gbs", 256.0);
  spec.hbm_to_router_bw =
      links.bandwidth("hbm_to_router_bw_gbs", (spec.hbm_channel_bw * spec.hbm_channels_per_pe).gbs());
  spec.sram_to_router_bw = links.bandwidth("sram_to_router_bw_gbs", 128.0);
  spec.noc_to_ucie_conn_bw = links.bandwidth("noc_to_ucie_conn_bw_gbs", 128.0);
  spec.ucie_link_bw = links.bandwidth("ucie_link_bw_gbs", 512.0);
  spec.ucie_seam_mm = links.real("ucie_seam_mm", 1.0, length_mm());
  links.done();
}

// the page size may be set at its block or in the memory map.
void settle_page_size(MapReader& memory, std::int64_t of_map, MachineSpec& spec) {
  const std::int64_t of_mmu = spec.pe_params<params::PeMmuParams>("pe_mmu").page_size;
  spec.page_size = static_cast<std::uint64_t>(of_mmu);
  if (!memory.has("page_size")) {
    memory.context().note_value(memory.path("page_size"), std::to_string(of_mmu), false);
    return;
  }
  if ((of_map & (of_map - 1)) != 0) {
    memory.report("page_size", fmt::format("{} is not a power of two", of_map), "write for example 4096");
  }
  if (of_mmu == of_map) return;
  memory.context().report_rule(
      {"cube.pe_template.components.pe_mmu.attrs.page_size", memory.path("page_size")},
      fmt::format("PE_MMU would have pages of {} bytes, but the memory map, whose pages virtual "
                  "addresses are allocated in, has {} (cube.memory_map.page_size)",
                  of_mmu, of_map),
      fmt::format("set cube.memory_map.page_size={} instead, which PE_MMU follows; or write "
                  "the same in both",
                  of_mmu));
}

// Engines of plug-ins, which a machine has when its file names them.
void read_engines(MapReader& components, MapReader& links, MachineSpec& spec) {
  const engine::EngineCatalog& known = components.context().implementations().engines();
  std::vector<engine::EngineId> present;
  for (const engine::EngineId id : known.ids()) {
    const NodeKind kind = engine_kind(id);
    const std::string name(node_kind_name(kind));
    if (!is_plugin_engine(kind)) continue;
    const EngineLinks lengths(kind);
    if (!components.has(name)) {
      components.allow(name);
      continue;
    }
    present.push_back(id);
    params::PeEngineParams defaults;
    defaults.elements_per_ns = ElementRates(known.row(id).rate);
    MapReader component = components.map(name);
    spec.pe_components[name] = read_component(component, kind, defaults);
    component.done();
    components.context().describe(components.path(name), known.row(id).text);
    for (const std::string& key : {lengths.from_scheduler, lengths.from_fetch_store, lengths.to_fetch_store}) {
      spec.pe_link_mm[key] = links.real(key, 0.0, length_mm());
    }
  }
  if (!present.empty()) spec.engines = std::make_shared<const engine::EngineCatalog>(known.with_only(present));
}

// T-26: the TCM's size may be written at the block or in the memory map; the other follows.
void read_pe_template(MapReader& pe_template, MapReader& memory, MachineSpec& spec) {
  MapReader components = pe_template.map("components");
  double tcm_mb = memory.real("tcm_size_mb", 2.0, positive(32.0));
  const bool in_memory_map = memory.has("tcm_size_mb");
  const std::int64_t page_size = memory.whole("page_size", 4096, at_least(256, 1u << 30));
  params::PeTcmParams tcm;
  tcm.size = Megabytes(tcm_mb);
  params::PeMmuParams mmu;
  mmu.page_size = page_size;
  for (NodeKind kind : pe_block_kinds()) {
    const std::string name(node_kind_name(kind));
    MapReader component = components.map(name);
    spec.pe_components[name] = kind == NodeKind::pe_tcm   ? read_component(component, kind, tcm)
                               : kind == NodeKind::pe_mmu ? read_component(component, kind, mmu)
                                                          : read_component(component, kind);
    component.done();
  }
  MapReader links = pe_template.map("links");
  read_engines(components, links, spec);
  components.done();
  const double block_mb = spec.pe_params<params::PeTcmParams>("pe_tcm").size.mb();
  if (in_memory_map && block_mb != tcm_mb) {
    memory.context().report_rule(
        {"cube.pe_template.components.pe_tcm.attrs.size_mb", memory.path("tcm_size_mb")},
        fmt::format("the TCM has {} MB here and {} MB in cube.memory_map.tcm_size_mb", block_mb, tcm_mb),
        "write it in one of the two places");
  }
  if (!in_memory_map) {
    tcm_mb = block_mb;
    memory.context().note_value(memory.path("tcm_size_mb"), number_text(tcm_mb), false);
  }
  spec.tcm_bytes_per_pe = to_bytes(memory.context(), memory.path("tcm_size_mb"), tcm_mb, kMiB);

  settle_page_size(memory, page_size, spec);
  for (const char* name :
       {"scheduler_to_dma_mm", "scheduler_to_fetch_store_mm", "scheduler_to_gemm_mm", "scheduler_to_math_mm",
        "dma_to_fetch_store_mm", "fetch_store_to_gemm_mm", "fetch_store_to_math_mm", "gemm_to_fetch_store_mm",
        "gemm_to_math_mm", "math_to_fetch_store_mm", "fetch_store_to_dma_mm"}) {
    spec.pe_link_mm[name] = links.real(name, 0.0, length_mm());
  }
  spec.fetch_store_to_tcm_bw = links.bandwidth("fetch_store_to_tcm_bw_gbs", 512.0, optional_bandwidth());
  links.done();
  pe_template.done();
}

}  // namespace

EngineLinks::EngineLinks(NodeKind kind) {
  const std::string name = std::string(node_kind_name(kind)).substr(3);  // without pe_
  from_scheduler = "scheduler_to_" + name + "_mm";
  from_fetch_store = "fetch_store_to_" + name + "_mm";
  to_fetch_store = name + "_to_fetch_store_mm";
}

void read_cube(MapReader& cube, MachineSpec& spec) {
  read_layout(cube, spec);
  MapReader memory = cube.map("memory_map");
  read_memory(memory, spec);
  read_components(cube, spec);
  MapReader links = cube.map("links");
  read_links(links, spec);
  MapReader pe_template = cube.map("pe_template");
  read_pe_template(pe_template, memory, spec);
  memory.done();
  cube.done();
}

}  // namespace kb::topology
