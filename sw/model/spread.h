// How the tensors of a step lie in the HBM slices of a SIP.
#pragma once

#include <cstdint>

#include "platform/base/dtype.h"
#include "sw/tensor/placement.h"

namespace kb::sw {

enum class Spread : std::uint8_t {
  outputs,  // weights (outputs, inputs): outputs over cubes, inputs over the PEs of a cube
  tile,     // (rows, columns): columns over cubes, rows over the PEs of a cube
  copy,     // (rows, columns): in every cube, columns over its PEs
  rows,     // the first dimension over cubes, and then over PEs
  heads,    // in every cube, the first dimension over its PEs
  whole,    // at every PE
  one,      // whole, at the first PE of the first cube
};

DPPolicy spread_policy(Spread spread);
// Bytes of the largest part in a slice, on a SIP of `cubes` cubes with `pes` PEs each.
std::uint64_t spread_bytes(Spread spread, const Shape& shape, Dtype dtype, std::int64_t cubes, std::int64_t pes);

}  // namespace kb::sw
