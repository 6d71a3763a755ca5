#include "modules/catalog.h"

#include "modules/cube/catalog.h"
#include "modules/fabric/catalog.h"
#include "modules/io/catalog.h"
#include "modules/pe/catalog.h"

namespace kb::modules {

elab::BlockRegistry builtin_registry() {
  elab::BlockRegistry registry;
  add_fabric_blocks(registry);
  add_io_blocks(registry);
  add_cube_blocks(registry);
  add_pe_blocks(registry);
  return registry;
}

elab::BlockRegistry registry_with(const elab::BlockCatalog* others) {
  return others == nullptr ? builtin_registry() : others->with(builtin_registry());
}

}  // namespace kb::modules
