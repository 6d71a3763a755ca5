// Reduction operations of collectives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/tl/context.h"

namespace kb::kernels {

// Element-wise sum, max, min or avg (K-15). An average of n floats is the sum of 2^-c x with c = ceil(log2 n), divided
// by 2^-c n; this does not overflow if the average fits. An average of integers is their sum divided by n and
// truncated; i8 and i16 are summed in i32.
class Reduction {
 public:
  // `name` is one of names(); `contributions` is the divisor of an average; `dtype` is that of the tiles. Program Error
  // KERNEL_ERROR for another name.
  Reduction(tl::Context& tl, const std::string& name, std::int64_t contributions, Dtype dtype);
  static const std::vector<std::string>& names();

  // Dtype in which contributions are transferred and added.
  Dtype dtype() const { return combined_; }
  // True when contributions are converted by begin() and cannot be sent directly from memory.
  bool begins() const { return scale_ != 1 || combined_ != dtype_; }
  // Converts a contribution that was loaded into scratch to the form in which it is combined and sent; in place unless
  // it is cast.
  tl::TensorHandle begin(const tl::TensorHandle& x) const;
  // Like begin(), but leaves `x` unchanged and writes into new scratch.
  tl::TensorHandle begun(const tl::TensorHandle& x) const;
  // acc = acc (op) x; `acc` is in scratch.
  void add(tl::TensorHandle& acc, const tl::TensorHandle& x) const;
  // Like add(), for a contribution that begin() has not converted.
  void add_unbegun(tl::TensorHandle& acc, const tl::TensorHandle& x) const;
  // Converts the sum of all contributions to the result; in place unless it is cast.
  tl::TensorHandle finish(const tl::TensorHandle& acc) const;
  // The same for parts of a tensor: room_for() allocates the results, and finish_into() writes the results of a part.
  tl::TensorHandle room_for(const tl::TensorHandle& acc) const;
  void finish_into(const tl::TensorHandle& out, const tl::TensorHandle& acc) const;

 private:
  tl::Context& tl_;
  MathOp op_ = MathOp::add;
  Dtype dtype_, combined_;
  double scale_ = 1;    // factor of contributions
  double divisor_ = 1;  // divisor of the sum
};

}  // namespace kb::kernels
