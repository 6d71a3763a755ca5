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

template <typename BlockType>
BlockFactory make_factory() {
  return [](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) -> std::unique_ptr<Block> {
    return std::make_unique<BlockType>(name, node, context);
  };
}

}  // namespace kb::elab
