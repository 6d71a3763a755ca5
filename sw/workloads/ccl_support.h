// Common helpers of workloads on message queues.
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

// Contents of a tile. Integers are chosen so that `op` over all tiles of the largest machine is exact in the dtype;
// their range is larger for operations other than sums.
HostArray tile_contents(Contents contents, const Shape& shape, Dtype dtype, const std::string& op, std::uint64_t seed);

// Reference combination on the host, in sequence, where the device may use another order: `op` is sum, max, min or avg.
// Integers wrap in two's complement; their average drops the fraction.
class Reduction {
 public:
  Reduction(const std::string& op, Dtype dtype);
  void add(double value);
  // Result before the last rounding; exact when every partial sum is representable in the dtype.
  data::Bounded result() const;

 private:
  enum class Op : std::uint8_t { sum, avg, max, min } op_;
  Dtype dtype_;
  int unit_;  // the values are multiples of 2^unit
  double value_ = 0, magnitude_ = 0, count_ = 0;
};
// Verifies a tensor of such results.
data::VerificationRow reduced_row(const std::string& tensor, const HostArray& actual,
                                  const data::BoundedMatrix& expected);

// Parameters that override the collective configuration when they are not empty: its file and the properties of queues.
std::vector<Parameter> queue_parameters();
topology::CclOptions queue_options(const Params& params);
// queue_parameters() and the algorithm.
std::vector<Parameter> ccl_parameters();
topology::CclOptions ccl_options(const Params& params);

}  // namespace kb::sw
