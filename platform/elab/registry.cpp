#include "platform/elab/registry.h"

#include <utility>

#include "platform/base/error.h"

namespace kb::elab {

void BlockCatalog::add_block(BlockDefinition definition) {
  if (definition.factory == nullptr) {
    throw Error::configuration("the implementation '" + definition.impl + "' has no factory");
  }
  if (!implementations_.kinds_of(definition.impl).empty()) {
    throw Error::configuration("the implementation '" + definition.impl + "' is registered twice; rename one of them");
  }
  implementations_.add(definition.kind, definition.impl, std::move(definition.fields));
  factories_[definition.impl] = std::move(definition.factory);
}

void BlockCatalog::serve(topology::NodeKind kind, const std::string& impl) {
  const std::vector<topology::NodeKind> kinds = implementations_.kinds_of(impl);
  if (kinds.empty()) {
    throw Error::configuration("the implementation '" + impl + "' is not registered; add it before it serves a kind");
  }
  implementations_.add(kind, impl, *implementations_.find(kinds.front(), impl));
}

BlockRegistry BlockCatalog::with(BlockRegistry builtin) const {
  builtin.insert(factories_.begin(), factories_.end());
  return builtin;
}

}  // namespace kb::elab
