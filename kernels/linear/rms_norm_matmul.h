#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// y = (x / rms(x) * g) w with rms(x) = sqrt(mean of the squares of a row + eps), for the columns of y that a PE owns. w
// (k, n) and y (m, n) are whole, or both are split by columns; x (m, k) and g (k elements) may be anywhere. All have
// one float dtype.
//
// The MAC array multiplies x * g by w, and the rows of the product are divided by rms(x) afterwards, so that a row
// needs only the PE's n divisions instead of k. The sums of squares are the diagonal of x x^T, also computed by the
// array. Both are done once for `rows` rows of x, which stay in scratch while w is streamed in blocks (depth, columns);
// without `columns`, blocks are as wide as the scratch allows. buffers 2: the next block of w, and of x when it is new,
// is loaded during the computation; 1: loads block.
contract::Kernel rms_norm_matmul_kernel();

}  // namespace kb::kernels
