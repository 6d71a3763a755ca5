// The JSON Schema (draft 2020-12) of topology files, for editors and other programs. It is made of what the reader asks
// for (KeyRecord) and of the field tables of the blocks. What ties several keys to each other is not in it.
#pragma once

#include <string>

#include "platform/topology/implementations.h"

namespace kb::topology {

// Attributes of `implementations` are known, those of other `custom.`, `rtl.` and `tlm.` ones open.
std::string topology_json_schema(const Implementations& implementations = builtin_only());

}  // namespace kb::topology
