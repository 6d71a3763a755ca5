#include "sw/serving/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "platform/base/error.h"

namespace kb::serving {
namespace {

std::vector<Request*> in_order_of_arrival(std::vector<Request>& requests) {
  std::vector<Request*> order;
  for (Request& request : requests) {
    if (!request.waits) order.push_back(&request);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Request* a, const Request* b) { return a->arrival_ns < b->arrival_ns; });
  return order;
}

std::int64_t checked_ns(double ns) {
  if (ns <= static_cast<double>(kLatestArrivalNs)) return std::llround(ns);
  throw Error::configuration(
      fmt::format("at this rate the last request would arrive after {:.3g} s; the most is {:.0g} s", ns / 1e9,
                  static_cast<double>(kLatestArrivalNs) / 1e9));
}

}  // namespace

double rate_of(const std::vector<Request>& requests) {
  std::int64_t first = kLatestArrivalNs, last = 0, count = 0;
  for (const Request& request : requests) {
    if (request.waits) continue;
    first = std::min(first, request.arrival_ns);
    last = std::max(last, request.arrival_ns);
    ++count;
  }
  return last > first ? static_cast<double>(count - 1) / (static_cast<double>(last - first) / 1e9) : 0.0;
}

void scale_times(std::vector<Request>& requests, double factor) {
  for (Request& request : requests) {
    if (!request.waits) request.arrival_ns = checked_ns(static_cast<double>(request.arrival_ns) * factor);
  }
}

void set_rate(std::vector<Request>& requests, ArrivalKind kind, double per_second, std::uint64_t seed) {
  if (kind == ArrivalKind::trace) {
    const double rate = rate_of(requests);
    if (rate <= 0.0) {
      throw Error::configuration(
          "all requests of the trace arrive at the same time, so that there is no pattern to scale to a rate; use "
          "--arrivals poisson or even");
    }
    return scale_times(requests, rate / per_second);
  }
  std::mt19937_64 random(seed);
  double at = 0.0;
  for (Request* const request : in_order_of_arrival(requests)) {
    request->arrival_ns = checked_ns(at);
    // 53 random bits give a number in (0, 1]; std::exponential_distribution differs between standard libraries.
    const double uniform = (static_cast<double>(random() >> 11) + 1.0) / 9007199254740992.0;
    at += 1e9 / per_second * (kind == ArrivalKind::even ? 1.0 : -std::log(uniform));
  }
}

}  // namespace kb::serving
