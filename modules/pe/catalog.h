#pragma once

#include <memory>

#include "modules/pe/pe_context.h"
#include "platform/elab/registry.h"

namespace kb::modules {

// Factory of a PE block whose constructor takes the parameters of its kind and the PE context.
template <typename BlockType, typename Params>
elab::BlockFactory make_pe_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node,
            elab::BlockContext& context) -> std::unique_ptr<elab::Block> {
    return std::make_unique<BlockType>(name, node, context.graph.node(node).params.template as<Params>(),
                                       PeContext::of(node, context), context);
  };
}
// Factory of a block of a plug-in that also has its own parameters.
template <typename BlockType, typename KindParams, typename Params>
elab::BlockFactory make_custom_pe_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node,
            elab::BlockContext& context) -> std::unique_ptr<elab::Block> {
    const topology::Node& record = context.graph.node(node);
    return std::make_unique<BlockType>(name, node, record.params.template as<KindParams>(),
                                       record.impl_params.template as<Params>(), PeContext::of(node, context), context);
  };
}

// Adds builtin.pe_cpu and the other eight PE blocks, and the PE context.
void add_pe_blocks(elab::BlockRegistry& registry);

}  // namespace kb::modules
