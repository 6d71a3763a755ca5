#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// out (m, n): row i is row ids[i] - first of the table, or zero where the table (v, n) has no such row. ids is (1, m)
// integers; table and out are both split by columns, and each PE computes the columns of out that it owns. The rows are
// selected by a product with one-hot rows made from the ids, so that time does not depend on the ids.
contract::Kernel embedding_kernel();

}  // namespace kb::kernels
