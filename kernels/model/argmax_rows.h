#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// indices (1, m) i32: the place of the largest element of each row of x (m, n), plus `first`, and, if given, values (1,
// m) f32: the element. The first one of equal elements counts; a NaN is larger than all numbers. x is split by columns
// over cubes, or whole, and then by rows at most. `partials` (cubes, 2 m) f32, a single copy that is split by rows, in
// any memory, holds what each cube found; a barrier of the SIP later the owners of indices compare.
contract::Kernel argmax_rows_kernel();

}  // namespace kb::kernels
