#include "platform/topology/balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/params/pe_dma_params.h"
#include "platform/params/pe_scheduler_params.h"

namespace kb::topology {
namespace {

// Warn when a PE waits for more time than it loads.
constexpr double kLeastUse = 0.5;

Bandwidth hbm_bw(const MachineSpec& spec) {
  return spec.hbm_to_router_bw * spec.hbm_ctrl().efficiency;
}

void warn_of_memory(const MachineSpec& spec, ReadContext& context) {
  if (!(spec.pe_to_router_bw < hbm_bw(spec))) return;
  context.warn_rule({"cube.links.pe_to_router_bw_gbs", "cube.memory_map.hbm_channel_bw_gbs",
                     "cube.memory_map.hbm_channels_per_pe", "cube.links.hbm_to_router_bw_gbs"},
                    fmt::format("the HBM slice of a PE delivers {:g} GB/s, but the PE's link takes {:g}",
                                hbm_bw(spec).gbs(), spec.pe_to_router_bw.gbs()),
                    fmt::format("a link of {:g} GB/s would use it", hbm_bw(spec).gbs()));
}

// A memory with banks moves whole accesses, also for a burst that is shorter.
void warn_of_short_bursts(const MachineSpec& spec, ReadContext& context) {
  const auto access = static_cast<double>(spec.hbm_traits().access_bytes),
             burst = static_cast<double>(spec.flit_bytes());
  if (burst >= access) return;
  context.warn_rule({"cube.components.hbm_ctrl.attrs.burst_bytes"},
                    fmt::format("a burst of {:g} B takes an access of {:g} B: {:.0f} % of the memory's bandwidth",
                                burst, access, 100 * burst / access),
                    fmt::format("write {:g} or more", access));
}

void warn_of_switch(const MachineSpec& spec, ReadContext& context) {
  if (spec.sip_count < 2) return;
  for (const IoChipletSpec& chiplet : spec.io_chiplets) {
    const Bandwidth port = chiplet.pcie_ep_to_noc_bw;
    if (!(spec.io_ep_to_switch_bw < port)) continue;
    context.warn_rule({"system.links.io_ep_to_switch_bw_gbs"},
                      fmt::format("a port of the switch has {:g} GB/s, but {} of a SIP can fill {:g}",
                                  spec.io_ep_to_switch_bw.gbs(), chiplet.id, port.gbs()),
                      fmt::format("ports of {:g} GB/s would not be the limit", port.gbs()));
    return;
  }
}

// Excludes waits that only reads or only writes have.
LocalTransfers local_transfers(const MachineSpec& spec) {
  const params::HbmCtrlParams& hbm = spec.hbm_ctrl();
  const auto& dma = spec.pe_params<params::PeDmaParams>("pe_dma");
  const auto& scheduler = spec.pe_params<params::PeSchedulerParams>("pe_scheduler");
  LocalTransfers transfers;
  transfers.tile_bytes = 2.0 * static_cast<double>(scheduler.tile_k * scheduler.tile_n);
  transfers.bw = std::min(hbm_bw(spec), spec.pe_to_router_bw);
  const double flit_ns = static_cast<double>(spec.flit_bytes()) / transfers.bw.gbs();
  const double burst_ns = static_cast<double>(spec.flit_bytes()) / spec.hbm_channel_bw.gbs();
  // Router (twice), controller, last burst, a flit through the router, and PE_DMA on both sides.
  transfers.latency_ns = 2 * spec.router_overhead_ns + hbm.overhead.ns() + burst_ns + flit_ns + 2 * dma.overhead.ns();
  return transfers;
}

void warn_of_latency(const MachineSpec& spec, ReadContext& context) {
  const ComponentSpec& hbm = spec.cube_components.at("hbm_ctrl");
  if (hbm.foreign || spec.pe_components.at("pe_dma").impl != "builtin.pe_dma") return;
  const auto& dma = spec.pe_params<params::PeDmaParams>("pe_dma");
  const std::string attrs = "cube.pe_template.components.pe_dma.attrs.";
  const auto warn = [&](const LocalTransfers& transfers, std::int64_t engines, const char* verb, std::string key,
                        std::string other_key) {
    if (transfers.used() >= kLeastUse) return;
    const std::int64_t needed = (transfers.needed() + engines - 1) / engines;
    context.warn_rule(
        {attrs + key, std::move(other_key)},
        fmt::format(
            "a PE that {} tiles of {:g} B has {:g} of them under way, each {:.3g} ns longer than its bytes take "
            "at {:g} GB/s: {:.0f} % of the bandwidth",
            verb, transfers.tile_bytes, transfers.outstanding, transfers.latency_ns, transfers.bw.gbs(),
            100 * transfers.used()),
        fmt::format("{}{}: {} would use all of it", attrs, key, needed));
  };
  warn(local_reads(spec), dma.rd_engines, "loads", "rd_outstanding",
       std::string("cube.components.hbm_ctrl.attrs.") + spec.hbm_traits().latency_key);
  warn(local_writes(spec), dma.wr_engines, "stores", "wr_outstanding", attrs + "overhead_ns");
}

}  // namespace

void warn_of_unused_bandwidth(const MachineSpec& spec, ReadContext& context) {
  warn_of_memory(spec, context);
  warn_of_short_bursts(spec, context);
  warn_of_switch(spec, context);
  warn_of_latency(spec, context);
}

double LocalTransfers::used() const {
  return std::min(1.0, outstanding * tile_bytes / (tile_bytes + latency_ns * bw.gbs()));
}

int LocalTransfers::needed() const {
  return static_cast<int>(std::ceil(1.0 + latency_ns * bw.gbs() / tile_bytes));
}

LocalTransfers local_reads(const MachineSpec& spec) {
  const auto& dma = spec.pe_params<params::PeDmaParams>("pe_dma");
  LocalTransfers reads = local_transfers(spec);
  reads.latency_ns += fs_to_ns(spec.hbm_traits().access);
  reads.outstanding = static_cast<double>(dma.rd_engines * dma.rd_outstanding);
  return reads;
}

// A write is acknowledged when its last burst has finished.
LocalTransfers local_writes(const MachineSpec& spec) {
  const auto& dma = spec.pe_params<params::PeDmaParams>("pe_dma");
  LocalTransfers writes = local_transfers(spec);
  writes.latency_ns += fs_to_ns(spec.hbm_traits().write_access);
  writes.outstanding = static_cast<double>(dma.wr_engines * dma.wr_outstanding);
  return writes;
}

}  // namespace kb::topology
