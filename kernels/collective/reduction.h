// How collectives combine contributions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/tl/context.h"

namespace kb::kernels {

// sum, max, min or avg, element by element. An average is a sum and, at the end, one division; of integers it is
// truncated.
class Reduction {
 public:
  // `name` is one of names(); `contributions`: how many an average divides by. Program Error KERNEL_ERROR on another
  // name.
  Reduction(tl::Context& tl, const std::string& name, std::int64_t contributions);
  static const std::vector<std::string>& names();

  // acc = acc (op) x; `acc` lies in scratch.
  void add(tl::TensorHandle& acc, const tl::TensorHandle& x) const;
  // What is left to do when everything was added.
  void finish(tl::TensorHandle& acc) const;

 private:
  tl::Context& tl_;
  MathOp op_ = MathOp::add;
  std::int64_t divisor_ = 1;
};

}  // namespace kb::kernels
