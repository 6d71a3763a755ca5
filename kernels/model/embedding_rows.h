#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// out (m, h): row i is row ids[i] - first of the table (v, h), or zeros where the table has no such row, so that the
// sum over tables of other rows is the row of the whole one. ids is (1, m) integers, which must be known. The table is
// split by rows over cubes and by columns over PEs, or only by one of them; out is split by columns, over PEs or over
// cubes, and then by rows at most. Each PE gathers what it owns of out, and reads no other row.
contract::Kernel embedding_rows_kernel();

}  // namespace kb::kernels
