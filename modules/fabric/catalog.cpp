#include "modules/fabric/catalog.h"

#include "modules/fabric/transit.h"

namespace kb::modules {

void add_fabric_blocks(elab::BlockRegistry& registry) {
  for (const char* impl : {"builtin.forwarding", "builtin.switch", "builtin.noc", "builtin.ucie"}) {
    registry[impl] = elab::make_factory<Transit, params::TransitParams>();
  }
}

}  // namespace kb::modules
