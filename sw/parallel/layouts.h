// Where tensor-parallel layers put their tensors inside a SIP (K-74).
#pragma once

#include <cstdint>

#include "platform/contract/machine_info.h"
#include "sw/tensor/tensor.h"

namespace kb::sw {

// Columns over as many cubes and PEs as divide them evenly (all, when that is possible): weights and what a layer
// computes. A cube's part is one tile, which collectives between ranks take.
DPPolicy split_columns(const contract::MachineInfo& machine, std::int64_t columns);
// Rows likewise.
DPPolicy split_rows(const contract::MachineInfo& machine, std::int64_t rows);
// Whole rows, a copy per cube, split by rows over as many of its PEs as divide them: what a layer reads.
DPPolicy copy_per_cube(const contract::MachineInfo& machine, std::int64_t rows);

// Every row is in one piece, in the order of rows: whole, copied, or split by rows.
bool has_whole_rows(const Tensor& tensor);

}  // namespace kb::sw
