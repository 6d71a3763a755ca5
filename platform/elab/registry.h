// Which module type stands behind an `impl` name of the topology (T-27). The table itself lives in modules/catalog.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "platform/elab/block.h"

namespace kb::elab {

using BlockFactory =
    std::function<std::unique_ptr<Block>(const sc_core::sc_module_name& name, NodeId node, BlockContext& context)>;

// impl name -> factory. Ordered, so that listings are stable.
using BlockRegistry = std::map<std::string, BlockFactory>;

// Of a block without parameters.
template <typename BlockType>
BlockFactory make_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) -> std::unique_ptr<Block> {
    return std::make_unique<BlockType>(name, node, context);
  };
}
// Of a block whose constructor takes the parameters of its kind.
template <typename BlockType, typename Params>
BlockFactory make_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) -> std::unique_ptr<Block> {
    return std::make_unique<BlockType>(name, node, context.graph.node(node).params.template as<Params>(), context);
  };
}

}  // namespace kb::elab
