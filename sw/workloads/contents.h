// Contents of tensors: integers whose sums are exact, so that results must be equal, or reals.
#pragma once

#include <cstdint>

#include "sw/tensor/host_array.h"
#include "sw/workloads/params.h"

namespace kb::sw {

enum class Contents { integers, real };
Parameter data_parameter();  // "data"
Contents contents_of(const Params& params);

// Integers of [-most, -1] and [1, most]; depends only on the seed.
HostArray whole_numbers(const Shape& shape, Dtype dtype, std::uint64_t seed, int most);
// Contents of a tensor that is copied, compared or added: integers up to 8, or reals in [-1, 1).
HostArray plain_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);
// (1, n) of the values 1, 2, -1, -2, so that relu keeps a part of every column, or reals.
HostArray bias_contents(Contents contents, std::int64_t n, Dtype dtype, std::uint64_t seed);
// 1 to 8, or reals in [0.5, 1), for which logarithms, roots and divisors are defined.
HostArray positive_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);
// Integers within a range of 4, so that every element of a softmax counts, or reals.
HostArray softmax_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);
// 1/4, 1/2, 1 or 2: factors that preserve all bits.
HostArray powers_of_two(const Shape& shape, Dtype dtype, std::uint64_t seed);

// Rows of 1 and -1, or of 16 and -16 in f32, with equal counts (differing by one in rows of odd length). A layer norm
// turns them into exactly 1 and -1, because an epsilon of 1e-5 vanishes in the rounding to the dtype.
HostArray balanced_signs(const Shape& shape, Dtype dtype, std::uint64_t seed);
// Rows with `terms` values 1 or -1, at positions that differ between rows, and zeros.
HostArray sparse_rows(const Shape& shape, Dtype dtype, std::uint64_t seed, std::int64_t terms);

// Operands of A (m, k) x B (k, n). As integers, no term is zero, every partial sum is exact in f32, and the total is
// representable in the result's dtype except for about one element in 10^8, so that every lost term changes the result;
// an integer result plus a small bias always fits. For a long k and a short dtype, some terms repeat with the opposite
// sign in the second half. Integer dtypes always have integers.
class ProductContents {
 public:
  // Reserves `spare_bits` of the result's dtype for operations after the product.
  ProductContents(Contents contents, std::int64_t k, Dtype operands, Dtype result, int spare_bits = 0);

  HostArray left(std::int64_t m, std::uint64_t seed) const;
  HostArray right(std::int64_t n, std::uint64_t seed) const;

 private:
  void choose_integers(Dtype result, int spare_bits);
  HostArray operand(const Shape& shape, std::uint64_t seed, bool left) const;

  Contents contents_;
  std::int64_t k_, pairs_ = 0;
  Dtype dtype_;
  int left_most_ = 8, right_most_ = 8;
};

}  // namespace kb::sw
