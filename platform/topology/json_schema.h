// The JSON Schema (draft 2020-12) of topology files, for editors and other programs. It is generated from the keys that
// the reader requests (KeyRecord) and from the field tables of the blocks. It does not contain rules over several keys.
#pragma once

#include <string>

#include "platform/topology/implementations.h"

namespace kb::topology {

// The schema lists the attributes of `implementations`; other `custom.`, `rtl.` and `tlm.` ones accept any attributes.
std::string topology_json_schema(const Implementations& implementations = builtin_only());

}  // namespace kb::topology
