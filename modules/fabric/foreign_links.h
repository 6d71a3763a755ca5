// Attaches the protocol checker to the links of plug-in blocks (T-28a).
#pragma once

#include "modules/fabric/fabric_node.h"

namespace kb::modules {

// Attaches the checker to this node's side of its links to and from foreign blocks. Called at the end of the node's
// elaboration.
void watch_foreign_links(FabricNode& node, elab::BlockContext& context);

// For a run that is deadlocked: model Error when a foreign block has received a complete transfer and has neither
// forwarded nor answered it.
void throw_if_a_block_stalls(elab::BlockContext& context);

}  // namespace kb::modules
