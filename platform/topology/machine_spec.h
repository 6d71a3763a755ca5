// The contents of a topology file, checked and with all defaults filled in. Field names are the YAML keys; units are in
// the names or the types.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/machine_choices.h"
#include "platform/base/quantities.h"
#include "platform/energy/events.h"
#include "platform/engine/engine_id.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/memory_traits.h"
#include "platform/params/param_set.h"

namespace kb::topology {

// One `{ kind, impl, attrs }` record.
struct ComponentSpec {
  std::string kind;
  std::string impl;
  params::ParamSet params;       // parameters of the kind
  params::ParamSet impl_params;  // additional parameters of a custom implementation
  bool foreign = false;          // as in the node
};

enum class HbmMapping { n_to_one, one_to_one };
enum class RoutingMetric { latency, distance };  // the quantity that the best route minimises (F-8)
enum class Side { N, E, S, W };
enum class Corner { NW, NE, SW, SE };

struct CubePortSpec {
  int cube_x = 0;
  int cube_y = 0;
  Side cube_side = Side::N;
  std::string phy;  // "P0"
  double distance_mm = 2.0;
};

struct IoChipletSpec {
  std::string id = "io0";
  std::optional<Side> shoreline;
  ComponentSpec pcie_ep, io_cpu, io_noc, io_ucie, ucie_conn;
  Bandwidth pcie_ep_to_noc_bw{256.0};
  Bandwidth io_cpu_to_noc_bw;  // unlimited unless it is set
  Bandwidth per_connection_bw{512.0};
  int n_connections = 4;
  std::vector<CubePortSpec> cube_ports;
};

struct MachineSpec {
  // system
  double ns_per_mm = 0.01;
  int sip_count = 1;
  SipTopology sip_topology = SipTopology::ring_1d;
  int sip_w = 0, sip_h = 0;  // 0, 0 = no grid (T-14)
  ComponentSpec switch_component;
  Bandwidth io_ep_to_switch_bw{512.0};
  double io_ep_to_switch_mm = 0.0;

  // sip
  int cube_mesh_w = 1, cube_mesh_h = 1;
  std::vector<IoChipletSpec> io_chiplets;

  // cube
  double cube_mm_w = 18.0, cube_mm_h = 14.0;
  double hbm_mm_w = 9.0, hbm_mm_h = 5.0;
  std::vector<Corner> corners;
  int pe_per_corner = 1;
  double m_cpu_x = 1.5, m_cpu_y = 5.5;
  double sram_x = 1.5, sram_y = 8.5;
  int ucie_n_connections = 4;
  ComponentSpec ucie;
  AddressModel address_model = AddressModel::va;
  std::uint64_t page_size = 4096;         // for PE_MMU and the VA allocator
  std::uint64_t address_range_bytes = 0;  // of virtual and of logical addresses; 0: address_range() decides
  HbmMapping hbm_mapping_mode = HbmMapping::n_to_one;
  int hbm_pseudo_channels = 64;
  int hbm_channels_per_pe = 8;
  Bandwidth hbm_channel_bw{32.0};
  int hbm_slices_per_cube = 8;
  std::uint64_t hbm_bytes_per_cube = 0;  // from hbm_total_gb_per_cube, binary GB
  std::uint64_t tcm_bytes_per_pe = 0;    // from tcm_size_mb
  std::uint64_t tcm_scheduler_reserved_bytes = 524288;
  std::uint64_t tcm_kernel_scratch_bytes = 1048576;      // P-48, P-58
  std::uint64_t sram_bytes_per_cube = 0;                 // from sram.attrs.size_mb
  std::map<std::string, ComponentSpec> cube_components;  // noc_router, m_cpu, sram, hbm_ctrl, ucie_conn
  Bandwidth router_link_bw{256.0};
  double router_overhead_ns = 2.0;
  Bandwidth pe_to_router_bw{256.0};
  Bandwidth hbm_to_router_bw{256.0};
  Bandwidth sram_to_router_bw{128.0};
  Bandwidth noc_to_ucie_conn_bw{128.0};
  Bandwidth ucie_link_bw{512.0};
  double ucie_seam_mm = 1.0;
  std::map<std::string, ComponentSpec> pe_components;  // the blocks of a PE, by kind
  // The built-in engines of a PE, and those of plug-ins that the file names.
  engine::EngineCatalogPtr engines = engine::built_in_engines();
  std::map<std::string, double> pe_link_mm;  // template links of T-25, e.g. "scheduler_to_dma_mm"
  Bandwidth fetch_store_to_tcm_bw{512.0};

  RoutingMetric routing_metric = RoutingMetric::latency;
  std::map<std::string, double> routing_weight_mm;  // length that routing uses, by edge kind (F-19)

  std::string mesh_file;                // fixes the router grid (T-57); empty = computed
  std::vector<std::string> emit_views;  // views that every run draws into its folder (T-58)

  std::optional<energy::Table> energy;  // no value: joules are not computed (E-110)

  // Derived values.
  int cubes_per_sip() const { return cube_mesh_w * cube_mesh_h; }
  int pes_per_cube() const { return static_cast<int>(corners.size()) * pe_per_corner; }
  int pe_count() const { return sip_count * cubes_per_sip() * pes_per_cube(); }
  std::uint64_t hbm_slice_bytes() const { return hbm_bytes_per_cube / static_cast<std::uint64_t>(hbm_slices_per_cube); }
  std::uint64_t flit_bytes() const;  // = burst_bytes of hbm_ctrl (F-27)
  // Bytes of virtual and of logical addresses: those configured, or the HBM of the machine, at least 64
  // GiB.
  std::uint64_t address_range() const;

  const params::HbmCtrlParams& hbm_ctrl() const;
  params::MemoryTraits hbm_traits() const;
  // Parameters of a block of the PE template, by the name of its kind.
  template <typename P>
  const P& pe_params(const std::string& kind) const {
    return pe_components.at(kind).params.as<P>();
  }
};

}  // namespace kb::topology
