#include "modules/pe/catalog.h"

#include "modules/pe/pe_cpu.h"
#include "modules/pe/pe_dma.h"
#include "modules/pe/pe_engine.h"
#include "modules/pe/pe_fetch_store.h"
#include "modules/pe/pe_gemm.h"
#include "modules/pe/pe_ipcq.h"
#include "modules/pe/pe_math.h"
#include "modules/pe/pe_mmu.h"
#include "modules/pe/pe_scheduler.h"
#include "modules/pe/pe_tcm.h"

namespace kb::modules {

void add_pe_blocks(elab::BlockRegistry& registry) {
  registry["builtin.pe_cpu"] = make_pe_factory<PeCpu, params::PeCpuParams>();
  registry["builtin.pe_scheduler"] = make_pe_factory<PeScheduler, params::PeSchedulerParams>();
  registry["builtin.pe_dma"] = make_pe_factory<PeDma, params::PeDmaParams>();
  registry["builtin.pe_fetch_store"] = make_pe_factory<PeFetchStore, params::PeFetchStoreParams>();
  registry["builtin.pe_gemm"] = make_pe_factory<PeGemm, params::PeGemmParams>();
  registry["builtin.pe_math"] = make_pe_factory<PeMath, params::PeMathParams>();
  registry["builtin.pe_tcm"] = make_pe_factory<PeTcm, params::PeTcmParams>();
  registry["builtin.pe_mmu"] = make_pe_factory<PeMmu, params::PeMmuParams>();
  registry["builtin.pe_ipcq"] = make_pe_factory<PeIpcq, params::PeIpcqParams>();
  registry["builtin.pe_engine"] = make_pe_factory<PeEngine, params::PeEngineParams>();
  registry.pe_parts = [](const PeCoord& pe, const elab::BlockContext& context) {
    return std::make_unique<PeContext>(pe, context);
  };
}

}  // namespace kb::modules
