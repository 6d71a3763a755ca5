// Conversions between whole activations and parts of ranks (K-77), and between layouts inside a SIP.
#pragma once

#include <string>

#include "sw/parallel/model_parallel.h"

namespace kb::sw {

// `name` is for reports and messages. Program Errors TENSOR_ERROR, LAYOUT_ERROR, SHAPE_ERROR, and those of collectives.

// Returns the tensor itself, because every rank has it whole.
Tensor copy_to_region(ModelParallel& mp, const Tensor& x);
// Sums the tensor over the ranks, in place.
Tensor reduce_from_region(ModelParallel& mp, const Tensor& x, const std::string& name = "reduce");
// (m, n), whole on all ranks -> the caller's columns (m, n / size).
Tensor scatter_to_region(ModelParallel& mp, const Tensor& x, const std::string& name = "scatter");
// (m, n) of each rank -> (m, n * size) with the columns of all ranks in rank order, on every rank.
Tensor gather_from_region(ModelParallel& mp, const Tensor& x, const std::string& name = "gather");

// Copies the rows of a host array (equal for every caller) to each cube of the caller's SIP.
Tensor on_every_cube(ModelParallel& mp, const HostArray& rows, const std::string& name);
// Returns the contents with whole rows and a copy per cube, or the tensor itself when its rows are whole.
Tensor with_whole_rows(ModelParallel& mp, const Tensor& x, const std::string& name = "rows");

}  // namespace kb::sw
