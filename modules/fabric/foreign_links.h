// Attaches the protocol checker to the links of blocks from outside (T-28a).
#pragma once

#include "modules/fabric/fabric_node.h"

namespace kb::modules {

// Makes the checker watch this node's side of its links to and from foreign blocks. Called at the end of the node's
// elaboration.
void watch_foreign_links(FabricNode& node, elab::BlockContext& context);

// In a run that cannot go on: a model Error when a foreign block has got all of a transfer and has neither passed it on
// nor answered it.
void throw_if_a_block_stalls(elab::BlockContext& context);

}  // namespace kb::modules
