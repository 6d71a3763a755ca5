// The table of built-in module types by `impl` name.
#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

elab::BlockRegistry builtin_registry();
// Adds the blocks of `others`, which may be null.
elab::BlockRegistry registry_with(const elab::BlockCatalog* others);

}  // namespace kb::modules
