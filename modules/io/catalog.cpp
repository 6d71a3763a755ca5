#include "modules/io/catalog.h"

#include "modules/io/io_cpu.h"
#include "modules/io/pcie_ep.h"

namespace kb::modules {
void add_io_blocks(elab::BlockRegistry& registry) {
  registry["builtin.pcie_ep"] = elab::make_factory<PcieEp, params::PcieEpParams>();
  registry["builtin.io_cpu"] = elab::make_factory<IoCpu, params::IoCpuParams>();
}

}  // namespace kb::modules
