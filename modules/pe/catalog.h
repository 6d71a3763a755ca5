#pragma once

#include <memory>

#include "modules/pe/pe_context.h"
#include "platform/elab/registry.h"

namespace kb::modules {

// Of a block of a PE, whose constructor takes the parameters of its kind and what the blocks of its PE share.
template <typename BlockType, typename Params>
elab::BlockFactory make_pe_factory(const std::shared_ptr<PeContexts>& pes) {
  return [pes](const sc_core::sc_module_name& name, NodeId node,
               elab::BlockContext& context) -> std::unique_ptr<elab::Block> {
    const topology::Node& record = context.graph.node(node);
    return std::make_unique<BlockType>(name, node, record.params.template as<Params>(),
                                       pes->of(record.pe_coord(), context), context);
  };
}

// Adds builtin.pe_cpu and the other eight blocks of a PE.
void add_pe_blocks(elab::BlockRegistry& registry,
                   const std::shared_ptr<PeContexts>& pes = std::make_shared<PeContexts>());

}  // namespace kb::modules
