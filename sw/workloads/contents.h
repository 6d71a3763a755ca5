// Contents of tensors: whole numbers whose sums are exact, so that results must be equal, or reals.
#pragma once

#include <cstdint>

#include "sw/tensor/host_array.h"
#include "sw/workloads/params.h"

namespace kb::sw {

enum class Contents { integers, real };
Parameter data_parameter();  // "data"
Contents contents_of(const Params& params);

// Whole numbers of [-most, -1] and [1, most]; a function of the seed alone.
HostArray whole_numbers(const Shape& shape, Dtype dtype, std::uint64_t seed, int most);
// Contents of a tensor that is copied, compared or added to another one: whole numbers up to 8, or reals in [-1, 1).
HostArray plain_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);
// (1, n) of 1, 2 and their opposites, so that relu leaves something of every column, or reals.
HostArray bias_contents(Contents contents, std::int64_t n, Dtype dtype, std::uint64_t seed);
// 1 to 8, or reals in [0.5, 1): what logarithms, roots and divisors are defined for.
HostArray positive_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);
// Whole numbers within 4 of each other, so that every element of a softmax counts, or reals.
HostArray softmax_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);
// 1/4, 1/2, 1 or 2: factors that keep every bit.
HostArray powers_of_two(const Shape& shape, Dtype dtype, std::uint64_t seed);

// Rows of 1 and -1, or of 16 and -16 in f32, as many of both but for one in rows of odd length: a layer norm makes
// exactly 1 and -1 of them, because an epsilon of 1e-5 is lost in the rounding to the dtype.
HostArray balanced_signs(const Shape& shape, Dtype dtype, std::uint64_t seed);
// Rows with `terms` numbers that are 1 or -1, at other places from row to row, and zeros.
HostArray sparse_rows(const Shape& shape, Dtype dtype, std::uint64_t seed, std::int64_t terms);

// Operands of A (m, k) x B (k, n). As whole numbers no term is zero, every sum of terms is exact in f32 and the sum of
// all is, but for one element in 10^8, a number of the result's dtype, so that each lost term changes the result; an
// integer result and a small bias always fit. For a long k and a short dtype some terms come again with the opposite
// sign in the second half. Integer dtypes have whole numbers whatever the contents.
class ProductContents {
 public:
  // `spare_bits` of the result's dtype are left for what follows the product.
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
