#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Row i of out is row indices[i] of table, for the rows of `out` that a PE owns: gathers of `rows` rows at a time,
// while those before are stored. indices (rows of out, integers) and table (any rows, columns) lie anywhere.
contract::Kernel gather_rows_kernel();

}  // namespace kb::kernels
