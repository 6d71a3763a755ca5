// What a debugger or loader does with the machine's memory: at once, in no time, past all timing.
#pragma once

#include <tlm>

#include "modules/bridge/address_windows.h"
#include "modules/bridge/bridge_context.h"
#include "platform/routing/address_resolver.h"

namespace kb::modules {

// Serves transport_dbg(): reads or writes the contents, in whatever windows and memories they lie, up to the first
// address that lies in none. Returns the bytes served. Byte enables and streaming widths have no effect.
unsigned debug_access(tlm::tlm_generic_payload& payload, const AddressWindows& windows,
                      const routing::AddressResolver& resolver, IContents& contents);

}  // namespace kb::modules
