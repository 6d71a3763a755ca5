// How collectives combine contributions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/tl/context.h"

namespace kb::kernels {

// sum, max, min or avg, element by element (K-15). An average of n floats is a sum of 2^-c x with c = ceil(log2 n),
// which does not overflow where the average fits, divided by 2^-c n; that of integers is their sum divided by n,
// truncated, of i8 and i16 in i32.
class Reduction {
 public:
  // `name` is one of names(); `contributions`: how many an average divides by; `dtype` of the tiles. Program Error
  // KERNEL_ERROR on another name.
  Reduction(tl::Context& tl, const std::string& name, std::int64_t contributions, Dtype dtype);
  static const std::vector<std::string>& names();

  // In which contributions are added and travel.
  Dtype dtype() const { return combined_; }
  // Whether begin() does something, so that a contribution cannot be sent straight from memory.
  bool begins() const { return scale_ != 1 || combined_ != dtype_; }
  // A contribution, as it was loaded into scratch, as it is combined and sent: in place unless it is cast.
  tl::TensorHandle begin(const tl::TensorHandle& x) const;
  // The same of one that came as it lies in memory, in scratch of its own.
  tl::TensorHandle begun(const tl::TensorHandle& x) const;
  // acc = acc (op) x; `acc` lies in scratch.
  void add(tl::TensorHandle& acc, const tl::TensorHandle& x) const;
  // The same of a contribution that came as it lies in memory.
  void add_unbegun(tl::TensorHandle& acc, const tl::TensorHandle& x) const;
  // What is left to do when everything was added: gives the result, in place unless it is cast.
  tl::TensorHandle finish(const tl::TensorHandle& acc) const;
  // The same for parts of a tensor: room for the results, and the results of a part.
  tl::TensorHandle room_for(const tl::TensorHandle& acc) const;
  void finish_into(const tl::TensorHandle& out, const tl::TensorHandle& acc) const;

 private:
  tl::Context& tl_;
  MathOp op_ = MathOp::add;
  Dtype dtype_, combined_;
  double scale_ = 1;    // of contributions
  double divisor_ = 1;  // of what was added
};

}  // namespace kb::kernels
