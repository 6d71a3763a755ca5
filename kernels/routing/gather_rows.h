#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Row i of out is row indices[i] of table, for the rows of `out` that a PE owns. Gathers fetch `rows` rows at a time,
// while the previous ones are stored. indices (rows of out, integers) and table (any number of rows) may be anywhere.
contract::Kernel gather_rows_kernel();

}  // namespace kb::kernels
