// When requests arrive, other than as the trace says.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/serving/request.h"

namespace kb::serving {

enum class ArrivalKind : std::uint8_t {
  trace,    // as in the trace; for a rate all times are scaled by one factor
  poisson,  // gaps of an exponential distribution, by a seed
  even,     // equal gaps
};

// Requests (the first calls of sessions) per second of a trace: gaps by the time between the first and the last
// arrival. 0 when all arrive at once.
double rate_of(const std::vector<Request>& requests);

// Sets the arrivals so that `per_second` requests arrive on average, in the order of the trace, the first one at 0 for
// generated arrivals. Configuration Error when there is no pattern to scale, and when the trace would last too long.
void set_rate(std::vector<Request>& requests, ArrivalKind kind, double per_second, std::uint64_t seed);

// Multiplies all times of the trace.
void scale_times(std::vector<Request>& requests, double factor);

inline constexpr std::int64_t kLatestArrivalNs = 1'000'000'000'000'000;  // a million seconds

}  // namespace kb::serving
