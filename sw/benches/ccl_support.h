// What benches on message queues share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "sw/benches/params.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

// Whole numbers whose combination over every tile of the largest machine is exact in the dtype.
HostArray small_integers(const Shape& shape, Dtype dtype, std::uint64_t seed);

// The host's own all-reduce, value by value: `op` is sum, max, min or avg, which sums until reduced() divides by
// `count`.
double combined(const std::string& op, double a, double b);
// What the device has then: integers wrap in two's complement, their average drops the fraction.
double reduced(const std::string& op, double value, double count, Dtype dtype);

// Parameters that overlay the collective configuration, when they are not empty: its file and what queues are like.
std::vector<Parameter> queue_parameters();
topology::CclOptions queue_options(const Params& params);
// The same and the algorithm.
std::vector<Parameter> ccl_parameters();
topology::CclOptions ccl_options(const Params& params);

}  // namespace kb::sw
