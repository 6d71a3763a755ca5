#include "modules/cube/catalog.h"

#include "modules/cube/hbm_ctrl.h"
#include "modules/cube/m_cpu.h"
#include "modules/cube/sram.h"

namespace kb::modules {

void add_cube_blocks(elab::BlockRegistry& registry) {
  registry["builtin.hbm_ctrl"] = elab::make_factory<HbmCtrl>();
  registry["builtin.sram"] = elab::make_factory<Sram>();
  registry["builtin.m_cpu"] = elab::make_factory<MCpu>();
}

}  // namespace kb::modules
