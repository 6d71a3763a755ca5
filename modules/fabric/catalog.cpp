#include "modules/fabric/catalog.h"

#include "modules/fabric/forwarding_node.h"

namespace kb::modules {

void add_fabric_blocks(elab::BlockRegistry& registry) {
  for (const char* impl : {"builtin.forwarding", "builtin.switch", "builtin.noc", "builtin.ucie"}) {
    registry[impl] = elab::make_factory<ForwardingNode, params::ForwardingParams>();
  }
}

}  // namespace kb::modules
