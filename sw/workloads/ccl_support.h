// What workloads on message queues share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "platform/data/verification.h"
#include "platform/topology/ccl_config.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/params.h"

namespace kb::sw {

// Whole numbers whose combination by `op` over every tile of the largest machine is exact in the dtype, or reals. What
// is not added up has more different numbers.
HostArray tile_contents(Contents contents, const Shape& shape, Dtype dtype, const std::string& op, std::uint64_t seed);

// The host's own combination of values, one after the other, where the device has another order: `op` is sum, max, min
// or avg. Integers wrap in two's complement, their average drops the fraction.
class Reduction {
 public:
  Reduction(const std::string& op, Dtype dtype);
  void add(double value);
  // Before the last rounding. Without error when every partial sum is a number of the dtype.
  data::Bounded result() const;

 private:
  enum class Op : std::uint8_t { sum, avg, max, min } op_;
  Dtype dtype_;
  int unit_;  // the values are multiples of 2^unit
  double value_ = 0, magnitude_ = 0, count_ = 0;
};
// The verdict on a tensor of such results.
data::VerificationRow reduced_row(const std::string& tensor, const HostArray& actual,
                                  const data::BoundedMatrix& expected);

// Parameters that overlay the collective configuration, when they are not empty: its file and what queues are like.
std::vector<Parameter> queue_parameters();
topology::CclOptions queue_options(const Params& params);
// queue_parameters() and the algorithm.
std::vector<Parameter> ccl_parameters();
topology::CclOptions ccl_options(const Params& params);

}  // namespace kb::sw
