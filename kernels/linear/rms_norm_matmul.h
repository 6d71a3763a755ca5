#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// y = (x / rms(x) * g) w with rms(x) = sqrt(mean of the squares of a row + eps), on the columns of y that a PE owns: w
// (k, n) and y (m, n) are whole or split by columns alike, x (m, k) and g (k elements) lie anywhere. One float dtype.
//
// x * g goes through the array and rows of the product are divided by rms(x) afterwards, so that a row is scaled in n
// places of this PE and not in k; sums of squares are the diagonal of x x^T, from the array, too. Both happen once for
// `rows` rows of x, which stay in scratch while w passes by in blocks (depth, columns); without `columns` as many as
// scratch has room for. buffers 2: the next block of w, and of x when it is new, is loaded meanwhile; 1: loads block.
contract::Kernel rms_norm_matmul_kernel();

}  // namespace kb::kernels
