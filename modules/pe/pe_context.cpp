#include "modules/pe/pe_context.h"

#include "platform/address/address_config.h"
#include "platform/base/error.h"
#include "platform/contract/share_words.h"
#include "platform/elab/route_table.h"
#include "platform/engine/engine_catalog.h"
#include "platform/params/memory_traits.h"
#include "platform/params/pe_dma_params.h"
#include "platform/params/pe_fetch_store_params.h"
#include "platform/params/pe_gemm_params.h"
#include "platform/params/pe_scheduler_params.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {
namespace {

using topology::NodeKind;

template <typename P>
const P& params_of(const elab::BlockContext& context, const PeCoord& pe, NodeKind kind) {
  return context.graph.node(context.routes.resolver().find_pe_node(pe, kind)).params.as<P>();
}

params::MemoryTraits own_memory(const elab::BlockContext& context, const PeCoord& pe) {
  const topology::Node& node = context.graph.node(context.routes.resolver().find_hbm(pe));
  return params::memory_traits(node.params, node.impl_params);
}

TileShape shape_of(const params::PeSchedulerParams& params) {
  return {params.tile_m, params.tile_k, params.tile_n};
}

contract::PeRates rates_of(const elab::BlockContext& context, const PeCoord& pe) {
  const topology::MachineSpec& spec = context.graph.spec;
  const params::HbmCtrlParams& memory = spec.hbm_ctrl();
  const auto& gemm = params_of<params::PeGemmParams>(context, pe, NodeKind::pe_gemm);
  contract::PeRates rates;
  rates.memory_bytes_per_ns = spec.hbm_to_router_bw.gbs() * memory.efficiency;
  rates.macs_per_ns = product_rate(gemm.macs_per_ns, Dtype::bf16, Dtype::bf16).per_ns();
  const auto burst = static_cast<std::uint64_t>(memory.burst_bytes);
  const bool hashed = memory.channel_hash != params::ChannelHash::none;
  rates.stripe_bytes = hashed ? burst : burst * static_cast<std::uint64_t>(memory.num_pcs);
  return rates;
}

PeActivity::Series series_of(const elab::BlockContext& context, const PeCoord& pe) {
  using record::Role;
  const auto info = [&](NodeKind kind, Role role, std::string_view name, std::int64_t units) {
    const NodeId node = context.routes.resolver().find_pe_node(pe, kind);
    return record::SeriesInfo{node,
                              role,
                              std::string(name),
                              NodeId(),
                              0,
                              record::ActivityRecorder::group_of(pe.sip),
                              static_cast<std::uint32_t>(units)};
  };
  const auto add = [&](NodeKind kind, Role role, std::string_view name, std::int64_t units) {
    return context.recorder->add_resource(info(kind, role, name, units));
  };
  PeActivity::Series series;
  series.shares.resize(contract::kShares);
  for (const std::size_t share : contract::share_indices()) {
    const bool absent =
        share < engine::kMaxEngines && !context.graph.spec.engines->has(static_cast<engine::EngineId>(share));
    if (absent) continue;
    series.shares[share] =
        &context.recorder->add_series(info(NodeKind::pe_cpu, Role::state, contract::word_of(share).name, 1));
  }
  const auto& dma = params_of<params::PeDmaParams>(context, pe, NodeKind::pe_dma);
  series.compute = add(NodeKind::pe_cpu, Role::engine, "compute", 1);
  series.read_channel = add(NodeKind::pe_dma, Role::dma, "read", dma.rd_engines * dma.rd_outstanding);
  series.write_channel = add(NodeKind::pe_dma, Role::dma, "write", dma.wr_engines * dma.wr_outstanding);
  series.fetch = add(NodeKind::pe_fetch_store, Role::tcm, "fetch", 1);
  series.store = add(NodeKind::pe_fetch_store, Role::tcm, "store", 1);
  return series;
}

}  // namespace

PeContext::PeContext(const PeCoord& pe, const elab::BlockContext& context)
    : coord(pe),
      tile_shape(shape_of(params_of<params::PeSchedulerParams>(context, pe, NodeKind::pe_scheduler))),
      tile_capacity{static_cast<std::uint64_t>(
                        params_of<params::PeFetchStoreParams>(context, pe, NodeKind::pe_fetch_store).register_file_kb)
                        << 10,
                    address::AddressConfig::from_spec(context.graph.spec).tcm_partition().reserved_bytes},
      reuse_a(params_of<params::PeSchedulerParams>(context, pe, NodeKind::pe_scheduler).reuse_a),
      rates(rates_of(context, pe)),
      access_bytes(own_memory(context, pe).access_bytes),
      hbm_stripe(address::channel_stripe(context.graph.spec.hbm_ctrl())) {
  if (context.recorder != nullptr) activity.record_in(series_of(context, pe));
}

PeContext& PeContext::of(NodeId node, const elab::BlockContext& context) {
  PeContext* const found = find(context.graph.node(node).pe_coord(), context);
  if (found != nullptr) return *found;
  throw Error::model(context.graph.node(node).id +
                     " needs what the blocks of a PE share, which this machine does not make");
}

PeContext* PeContext::find(const PeCoord& pe, const elab::BlockContext& context) {
  return static_cast<PeContext*>(context.find_pe(pe));
}

}  // namespace kb::modules
