#include "modules/pe/pe_context.h"

#include "platform/address/address_config.h"
#include "platform/elab/route_table.h"
#include "platform/params/pe_dma_params.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {
namespace {

using topology::NodeKind;

template <typename P>
const P& params_of(const elab::BlockContext& context, const PeCoord& pe, NodeKind kind) {
  return context.graph.node(context.routes.resolver().find_pe_node(pe, kind)).params.as<P>();
}

const params::HbmCtrlParams& own_controller(const elab::BlockContext& context, const PeCoord& pe) {
  return context.graph.node(context.routes.resolver().find_hbm(pe)).params.as<params::HbmCtrlParams>();
}

PeActivity::Series series_of(const elab::BlockContext& context, const PeCoord& pe) {
  using record::SeriesKind;
  const auto add = [&](NodeKind kind, SeriesKind series, std::string_view name, std::int64_t units) {
    const NodeId node = context.routes.resolver().find_pe_node(pe, kind);
    return &context.recorder->add_series({node, series, name, NodeId(), 0, record::ActivityRecorder::group_of(pe.sip),
                                          static_cast<std::uint32_t>(units)});
  };
  PeActivity::Series series;
  for (std::size_t i = 0; i < contract::kTimeShares; ++i) {
    const auto share = static_cast<contract::TimeShare>(i);
    series.shares[i] = add(NodeKind::pe_cpu, SeriesKind::state, contract::time_share_name(share), 1);
  }
  const auto& dma = params_of<params::PeDmaParams>(context, pe, NodeKind::pe_dma);
  series.compute = add(NodeKind::pe_cpu, SeriesKind::engine, "compute", 1);
  series.read_channel = add(NodeKind::pe_dma, SeriesKind::dma, "read", dma.rd_engines * dma.rd_outstanding);
  series.write_channel = add(NodeKind::pe_dma, SeriesKind::dma, "write", dma.wr_engines * dma.wr_outstanding);
  series.fetch = add(NodeKind::pe_fetch_store, SeriesKind::tcm, "fetch", 1);
  series.store = add(NodeKind::pe_fetch_store, SeriesKind::tcm, "store", 1);
  return series;
}

}  // namespace

PeContext::PeContext(const PeCoord& pe, elab::BlockContext& context, PeContexts& pes)
    : coord(pe),
      all(pes),
      scheduler(params_of<params::PeSchedulerParams>(context, pe, NodeKind::pe_scheduler)),
      fetch_store(params_of<params::PeFetchStoreParams>(context, pe, NodeKind::pe_fetch_store)),
      hbm_ctrl(own_controller(context, pe)),
      tile_room{static_cast<std::uint64_t>(fetch_store.register_file_kb) << 10,
                address::AddressConfig::from_spec(context.graph.spec).tcm_partition().reserved_bytes} {
  if (context.recorder != nullptr) activity.record_in(series_of(context, pe));
}

PeContext& PeContext::of(NodeId node, elab::BlockContext& context) {
  return context.shared<PeContexts>().of(context.graph.node(node).pe_coord(), context);
}

PeContext& PeContexts::of(const PeCoord& pe, elab::BlockContext& context) {
  std::unique_ptr<PeContext>& found = contexts_[pe];
  if (found == nullptr) found = std::make_unique<PeContext>(pe, context, *this);
  return *found;
}

const PeContext* PeContexts::find(const PeCoord& pe) const {
  const auto found = contexts_.find(pe);
  return found == contexts_.end() ? nullptr : found->second.get();
}

}  // namespace kb::modules
