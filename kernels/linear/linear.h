// Linear layers on composites.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Y (m, n) = epilogue(X (m, k) x W (k, n)) as one composite per PE, which computes the part of Y that it owns: its
// rows, from the same rows of X and all of W, or its columns, from all of X and its own columns of W. `epilogue` is a
// textual chain (parse_epilogues). A bias without a number is the tensor `bias` (1, n), split like the columns of Y or
// replicated. Other layouts are refused.
contract::Kernel linear_kernel();

// Y = (relu(X x W1 + B1)) x W2 + B2 in one launch: two consecutive composites per PE on the rows of X, H and Y that it
// owns. H (m, hidden) holds the activations in between.
contract::Kernel mlp_kernel();

}  // namespace kb::kernels
