// References of element-wise operations, softmax and layer normalisation.
#pragma once

#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "platform/data/verification.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

std::vector<std::string> elementwise_names();  // sorted
bool has_two_inputs(const std::string& op);
// Whether the input (or the divisor, if the operation has two inputs) must be above 0.
bool takes_positive(const std::string& op);

// Y = op(X) or op(X, Z); operations with one input do not use `z`.
data::VerificationRow elementwise_row(const std::string& op, const HostArray& x, const HostArray& z,
                                      const HostArray& y);
// Compares the softmax of each row.
data::VerificationRow softmax_row(const HostArray& x, const HostArray& y);
// `gamma` and `beta` are (1, columns).
data::VerificationRow layernorm_row(const HostArray& x, const HostArray& gamma, const HostArray& beta, double eps,
                                    const HostArray& y);
// LayerNorm of inexact values, as f32; empty `gamma` and `beta` mean 1 and 0.
data::BoundedMatrix layernorm_of(const data::BoundedMatrix& x, const std::vector<double>& gamma,
                                 const std::vector<double>& beta, double eps);

}  // namespace kb::sw
