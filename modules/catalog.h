// The one table from `impl` names to module types.
#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

elab::BlockRegistry builtin_registry();
// With the blocks of `others`, which may be null.
elab::BlockRegistry registry_with(const elab::BlockCatalog* others);

}  // namespace kb::modules
