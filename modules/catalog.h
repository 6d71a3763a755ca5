// The one table from `impl` names to module types.
#pragma once

#include "platform/elab/registry.h"

namespace kb::modules {

elab::BlockRegistry builtin_registry();

}  // namespace kb::modules
