#pragma once

#include <array>
#include <cstdint>

#include "platform/base/units.h"
#include "platform/contract/queues.h"
#include "platform/elab/block.h"
#include "platform/params/pe_ipcq_params.h"

namespace kb::modules {

// Cost of writing or reading a slot of this PE's rings, by memory:
//   setup + n / bandwidth, plus n / the narrowest link between PE_DMA and the bank for SRAM and HBM.
// The PE charges it: neither the memory nor the fabric sees these accesses.
class SlotCost {
 public:
  // `dma`: PE_DMA of the same PE.
  SlotCost(elab::BlockContext& context, const params::PeIpcqParams& params, NodeId dma);

  TimeFs of(QueueMemory memory, std::uint64_t nbytes) const;

 private:
  struct Memory {
    TimeFs setup = 0_fs;
    Bandwidth slot;
    Bandwidth hop;  // no value: no hop
  };
  std::array<Memory, 3> memories_;
};

}  // namespace kb::modules
