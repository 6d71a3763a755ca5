// Element-wise operations and row normalisations on the rows each PE owns.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// out = op(x) or op(x, y); `op` is the name of an element-wise operation with one or two inputs ("exp", "maximum").
contract::Kernel elementwise_kernel();
// Along each row: softmax, or (x - mean) / sqrt(variance + eps) * gamma + beta with gamma, beta (1, n).
contract::Kernel softmax_kernel();
contract::Kernel layernorm_kernel();

}  // namespace kb::kernels
