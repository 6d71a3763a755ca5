// Parts of host arrays.
#pragma once

#include <cstdint>
#include <string>

#include "sw/tensor/host_array.h"

namespace kb::sw {

// Columns [first, first + count), and rows likewise, of a two-dimensional array, zeros beyond its end; of a
// placeholder a placeholder.
HostArray columns_of(const HostArray& array, std::int64_t first, std::int64_t count);
HostArray rows_of(const HostArray& array, std::int64_t first, std::int64_t count);
// Two arrays of one height side by side.
HostArray side_by_side(const HostArray& left, const HostArray& right);

// SHAPE_ERROR and DTYPE_ERROR naming `what`.
void require_array(const std::string& what, const HostArray& array, const Shape& shape, Dtype dtype);

}  // namespace kb::sw
