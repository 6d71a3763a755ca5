// Placement of the tensors of tensor-parallel layers inside a SIP (K-74).
#pragma once

#include <cstdint>

#include "platform/contract/machine_info.h"
#include "sw/tensor/tensor.h"

namespace kb::sw {

// Splits columns over as many cubes and PEs as divide them evenly (all if possible): for weights and layer results. A
// cube's part is one tile, as collectives between ranks require.
DPPolicy split_columns(const contract::MachineInfo& machine, std::int64_t columns);
// The same for rows.
DPPolicy split_rows(const contract::MachineInfo& machine, std::int64_t rows);
// Whole rows with a copy per cube, split by rows over as many of its PEs as divide them: for the input of a layer.
DPPolicy copy_per_cube(const contract::MachineInfo& machine, std::int64_t rows);

// True when each row is contiguous and rows are in order: the tensor is whole, copied, or split by rows.
bool has_whole_rows(const Tensor& tensor);

}  // namespace kb::sw
