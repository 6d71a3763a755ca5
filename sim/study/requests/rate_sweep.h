// The same trace at several rates: where does latency begin to rise faster than throughput?
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/requests/served_energy.h"
#include "sim/study/requests/serving_run.h"
#include "sw/serving/arrivals.h"

namespace kb::requests {

// One rate and what it gives; times in ns.
struct RatePoint {
  double rate = 0;  // requests per second that arrive
  double requests_per_s = 0, output_tokens_per_s = 0;
  double ttft_p50 = 0, ttft_p99 = 0, tpot_mean = 0, latency_mean = 0, latency_p50 = 0, latency_p99 = 0;
  std::int64_t preemptions = 0;
  std::optional<ServedEnergy> energy = {};  // where joules are counted
};

// "0.5,1,2" or "LOW:HIGH:COUNT", where each rate is the same factor above the one before. Sorted, without repetitions;
// usage Error.
std::vector<double> parse_rates(const std::string& text);

struct RateSweep {
  std::vector<RatePoint> points;
  std::optional<std::size_t> knee;        // index of a point
  std::vector<std::string> abstractions;  // of the highest rate

  bool counts_energy() const { return !points.empty() && points.front().energy; }
};

RateSweep sweep_rates(const ServingSetup& setup, const std::vector<serving::Request>& requests,
                      const std::vector<double>& rates, serving::ArrivalKind kind, std::uint64_t seed,
                      const std::function<void(std::size_t done)>& tick);

// The point with the greatest distance below the line from the first to the last one, throughput over mean latency,
// both scaled to their range (Satopaa and others, "Finding a Kneedle in a Haystack", 2011). None with fewer than three
// points or where nothing rises.
std::optional<std::size_t> knee_of(const std::vector<RatePoint>& points);

}  // namespace kb::requests
