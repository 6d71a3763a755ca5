#include "platform/topology/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/params/pe_dma_params.h"
#include "platform/params/pe_scheduler_params.h"

namespace kb::topology {
namespace {

// A PE that waits more than it loads is worth a warning.
constexpr double kLeastUse = 0.5;

double hbm_gbs(const MachineSpec& spec) {
  return spec.hbm_to_router_bw_gbs * spec.hbm_ctrl().efficiency;
}

void warn_of_memory(const MachineSpec& spec, ReadContext& context) {
  if (spec.pe_to_router_bw_gbs <= 0 || hbm_gbs(spec) <= spec.pe_to_router_bw_gbs) return;
  context.warn_rule({"cube.links.pe_to_router_bw_gbs", "cube.memory_map.hbm_channel_bw_gbs",
                     "cube.memory_map.hbm_channels_per_pe", "cube.links.hbm_to_router_bw_gbs"},
                    fmt::format("the HBM slice of a PE delivers {:g} GB/s, but the PE's link takes {:g}", hbm_gbs(spec),
                                spec.pe_to_router_bw_gbs),
                    fmt::format("a link of {:g} GB/s would use it", hbm_gbs(spec)));
}

void warn_of_switch(const MachineSpec& spec, ReadContext& context) {
  if (spec.sip_count < 2) return;
  for (const IoChipletSpec& chiplet : spec.io_chiplets) {
    const double port = chiplet.pcie_ep_to_noc_bw_gbs;
    if (spec.io_ep_to_switch_bw_gbs <= 0 || port <= spec.io_ep_to_switch_bw_gbs) continue;
    context.warn_rule({"system.links.io_ep_to_switch_bw_gbs"},
                      fmt::format("a port of the switch has {:g} GB/s, but {} of a SIP can fill {:g}",
                                  spec.io_ep_to_switch_bw_gbs, chiplet.id, port),
                      fmt::format("ports of {:g} GB/s would not be the limit", port));
    return;
  }
}

void warn_of_latency(const MachineSpec& spec, ReadContext& context) {
  const ComponentSpec& hbm = spec.cube_components.at("hbm_ctrl");
  if (hbm.impl != "builtin.hbm_ctrl" || spec.pe_components.at("pe_dma").impl != "builtin.pe_dma") return;
  const LocalReads reads = local_reads(spec);
  if (reads.used() >= kLeastUse) return;
  const std::int64_t engines = spec.pe_params<params::PeDmaParams>("pe_dma").rd_engines;
  const auto needed = (reads.needed() + engines - 1) / engines;
  context.warn_rule(
      {"cube.pe_template.components.pe_dma.attrs.rd_outstanding", "cube.components.hbm_ctrl.attrs.access_ns"},
      fmt::format(
          "a PE that loads tiles of {:g} B has {:g} of them under way, each {:.3g} ns longer than its bytes take "
          "at {:g} GB/s: {:.0f} % of the bandwidth",
          reads.tile_bytes, reads.outstanding, reads.latency_ns, reads.gbs, 100 * reads.used()),
      fmt::format("rd_outstanding: {} would use all of it", needed));
}

}  // namespace

void warn_of_waste(const MachineSpec& spec, ReadContext& context) {
  warn_of_memory(spec, context);
  warn_of_switch(spec, context);
  warn_of_latency(spec, context);
}

double LocalReads::used() const {
  return std::min(1.0, outstanding * tile_bytes / (tile_bytes + latency_ns * gbs));
}

int LocalReads::needed() const {
  return static_cast<int>(std::ceil(1.0 + latency_ns * gbs / tile_bytes));
}

LocalReads local_reads(const MachineSpec& spec) {
  const params::HbmCtrlParams& hbm = spec.hbm_ctrl();
  const auto& dma = spec.pe_params<params::PeDmaParams>("pe_dma");
  const auto& scheduler = spec.pe_params<params::PeSchedulerParams>("pe_scheduler");
  LocalReads reads;
  reads.tile_bytes = 2.0 * static_cast<double>(scheduler.tile_k * scheduler.tile_n);
  reads.gbs = hbm_gbs(spec);
  if (spec.pe_to_router_bw_gbs > 0) reads.gbs = std::min(reads.gbs, spec.pe_to_router_bw_gbs);
  const double flit_ns = static_cast<double>(spec.flit_bytes()) / reads.gbs;
  const double burst_ns = static_cast<double>(spec.flit_bytes()) / spec.hbm_channel_bw_gbs;
  // The router twice, the controller, the first burst, the first flit through the router, and PE_DMA on both sides.
  reads.latency_ns =
      2 * spec.router_overhead_ns + hbm.overhead.ns + burst_ns + hbm.access.ns + flit_ns + 2 * dma.overhead.ns;
  reads.outstanding = static_cast<double>(dma.rd_engines * dma.rd_outstanding);
  return reads;
}

}  // namespace kb::topology
