// The library that --plugin loads: what stands behind each `impl: custom.<name>`.
#include <kernbench/platform/elab/block_plugin.h>

#include "banked_memory.h"
#include "fixed_priority.h"
#include "plain_router.h"
#include "priority_router.h"
#include "table_math.h"

using kb::elab::make_custom_factory;
using kb::elab::make_factory;
using kb::params::ForwardingParams;
using kb::params::HbmCtrlParams;
using kb::topology::NodeKind;
using namespace example;

KERNBENCH_BLOCKS(catalog) {
  catalog.add_block(table_math());
  catalog.add_block({NodeKind::noc_router, "custom.plain_router", kb::params::no_fields(),
                     make_factory<PlainRouter, ForwardingParams>()});
  catalog.add_block(priority_router());
  catalog.add_block({NodeKind::noc_router, "custom.fixed_priority", kb::params::no_fields(),
                     make_factory<FixedPriority, ForwardingParams>()});
  catalog.add_block({NodeKind::hbm_ctrl, "custom.banked_memory", BankedMemoryParams::fields(),
                     make_custom_factory<BankedMemory, HbmCtrlParams, BankedMemoryParams>()});
}
