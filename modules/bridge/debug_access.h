// Untimed memory access of debuggers and loaders.
#pragma once

#include <tlm>

#include "modules/bridge/address_windows.h"
#include "modules/bridge/bridge_context.h"
#include "platform/routing/address_resolver.h"

namespace kb::modules {

// Serves transport_dbg(): reads or writes memory contents across windows and memories, up to the first unmapped
// address. Returns the number of served bytes. Byte enables and streaming widths have no effect.
unsigned debug_access(tlm::tlm_generic_payload& payload, const AddressWindows& windows,
                      const routing::AddressResolver& resolver, IContents& contents);

}  // namespace kb::modules
