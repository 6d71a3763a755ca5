#include "modules/pe/pe_context.h"

#include "platform/address/address_config.h"
#include "platform/elab/route_table.h"

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

}  // namespace

PeContext::PeContext(const PeCoord& pe, elab::BlockContext& context, PeContexts& pes)
    : coord(pe),
      all(pes),
      scheduler(params_of<params::PeSchedulerParams>(context, pe, NodeKind::pe_scheduler)),
      fetch_store(params_of<params::PeFetchStoreParams>(context, pe, NodeKind::pe_fetch_store)),
      hbm_ctrl(own_controller(context, pe)),
      tile_room{static_cast<std::uint64_t>(fetch_store.register_file_kb) << 10,
                address::AddressConfig::from_spec(context.graph.spec).tcm_partition().reserved_bytes} {}

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
