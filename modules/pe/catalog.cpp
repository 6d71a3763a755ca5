#include "modules/pe/catalog.h"

#include "modules/pe/pe_cpu.h"
#include "modules/pe/pe_dma.h"
#include "modules/pe/pe_fetch_store.h"
#include "modules/pe/pe_gemm.h"
#include "modules/pe/pe_ipcq.h"
#include "modules/pe/pe_math.h"
#include "modules/pe/pe_mmu.h"
#include "modules/pe/pe_scheduler.h"
#include "modules/pe/pe_tcm.h"

namespace kb::modules {

void add_pe_blocks(elab::BlockRegistry& registry) {
  registry["builtin.pe_cpu"] = elab::make_factory<PeCpu, params::PeCpuParams>();
  registry["builtin.pe_scheduler"] = elab::make_factory<PeScheduler, params::PeSchedulerParams>();
  registry["builtin.pe_dma"] = elab::make_factory<PeDma, params::PeDmaParams>();
  registry["builtin.pe_fetch_store"] = elab::make_factory<PeFetchStore, params::PeFetchStoreParams>();
  registry["builtin.pe_gemm"] = elab::make_factory<PeGemm, params::PeGemmParams>();
  registry["builtin.pe_math"] = elab::make_factory<PeMath, params::PeMathParams>();
  registry["builtin.pe_tcm"] = elab::make_factory<PeTcm, params::PeTcmParams>();
  registry["builtin.pe_mmu"] = elab::make_factory<PeMmu, params::PeMmuParams>();
  registry["builtin.pe_ipcq"] = elab::make_factory<PeIpcq, params::PeIpcqParams>();
}

}  // namespace kb::modules
