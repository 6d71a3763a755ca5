// Parts of host arrays.
#pragma once

#include <cstdint>
#include <string>

#include "sw/tensor/host_array.h"

namespace kb::sw {

// Columns or rows [first, first + count) of a two-dimensional array, with zeros beyond its end; a placeholder gives a
// placeholder.
HostArray columns_of(const HostArray& array, std::int64_t first, std::int64_t count);
HostArray rows_of(const HostArray& array, std::int64_t first, std::int64_t count);
// Concatenates the columns of two arrays of equal height.
HostArray side_by_side(const HostArray& left, const HostArray& right);

// Throws SHAPE_ERROR or DTYPE_ERROR that names `what`.
void require_array(const std::string& what, const HostArray& array, const Shape& shape, Dtype dtype);

}  // namespace kb::sw
