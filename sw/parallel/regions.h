// Between whole activations and the parts of ranks (K-77), and between layouts inside a SIP.
#pragma once

#include <string>

#include "sw/parallel/model_parallel.h"

namespace kb::sw {

// `name` is for reports and messages. Program Errors TENSOR_ERROR, LAYOUT_ERROR, SHAPE_ERROR, and those of collectives.

// The tensor itself: what every rank has whole, every rank may read.
Tensor copy_to_region(ModelParallel& mp, const Tensor& x);
// The sum over the ranks, in place.
Tensor reduce_from_region(ModelParallel& mp, const Tensor& x, const std::string& name = "reduce");
// (m, n) that all ranks have whole -> the caller's columns (m, n / size).
Tensor scatter_to_region(ModelParallel& mp, const Tensor& x, const std::string& name = "scatter");
// (m, n) of each rank -> (m, n * size), the ranks' columns side by side, on every rank.
Tensor gather_from_region(ModelParallel& mp, const Tensor& x, const std::string& name = "gather");

// The rows of a host array, the same for every caller, in a copy per cube of the caller's SIP.
Tensor on_every_cube(ModelParallel& mp, const HostArray& rows, const std::string& name);
// The same contents with whole rows, in a copy per cube; the tensor itself when its rows are whole.
Tensor with_whole_rows(ModelParallel& mp, const Tensor& x, const std::string& name = "rows");

}  // namespace kb::sw
