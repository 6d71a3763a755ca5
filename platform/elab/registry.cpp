#include "platform/elab/registry.h"

#include <utility>

#include "platform/base/error.h"

namespace kb::elab {

void BlockCatalog::add_block(BlockDefinition definition) {
  if (definition.factory == nullptr) {
    throw Error::configuration("the implementation '" + definition.impl + "' has no factory");
  }
  implementations_.add(definition.kind, definition.impl, std::move(definition.fields), definition.origin);
  factories_[definition.impl][definition.kind] = std::move(definition.factory);
}

BlockRegistry BlockCatalog::with(BlockRegistry builtin) const {
  for (const auto& entry : factories_) {
    const auto& by_kind = entry.second;
    builtin[entry.first] = [by_kind](const sc_core::sc_module_name& name, NodeId node, BlockContext& context) {
      const auto found = by_kind.find(context.graph.node(node).kind);
      return (found != by_kind.end() ? found : by_kind.begin())->second(name, node, context);
    };
  }
  return builtin;
}

}  // namespace kb::elab
