#include "modules/cube/catalog.h"

#include "modules/cube/hbm_banked.h"
#include "modules/cube/hbm_ctrl.h"
#include "modules/cube/m_cpu.h"
#include "modules/cube/sram.h"

namespace kb::modules {

void add_cube_blocks(elab::BlockRegistry& registry) {
  registry["builtin.hbm_ctrl"] = elab::make_factory<HbmCtrl, params::HbmCtrlParams>();
  registry["builtin.hbm_banked"] =
      elab::make_custom_factory<HbmBanked, params::HbmCtrlParams, params::HbmBankedParams>();
  registry["builtin.sram"] = elab::make_factory<Sram, params::SramParams>();
  registry["builtin.m_cpu"] = elab::make_factory<MCpu, params::MCpuParams>();
}

}  // namespace kb::modules
