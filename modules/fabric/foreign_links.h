// The checker on the links of blocks from outside (T-28a).
#pragma once

#include "modules/fabric/fabric_node.h"

namespace kb::modules {

// Has the checker watch the links of a node that lead to or from a foreign block, as far as they are this node's side
// of them. At the end of its elaboration.
void watch_foreign_links(FabricNode& node, elab::BlockContext& context);

// In a run that cannot go on: a model Error when a foreign block has got all of a transfer and has neither passed it on
// nor answered it.
void throw_if_a_block_stalls(elab::BlockContext& context);

}  // namespace kb::modules
