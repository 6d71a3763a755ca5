#include "sw/serving/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "platform/base/error.h"
#include "tests/unit/serving/recorded_server.h"

namespace kb::serving {
namespace {

std::vector<std::int64_t> times(const std::vector<Request>& requests) {
  std::vector<std::int64_t> all;
  for (const Request& one : requests) all.push_back(one.arrival_ns);
  return all;
}

TEST(Arrivals, RatesScaleThePatternOfTheTrace) {  // M-77
  std::vector<Request> requests = {request(0, 1, 1), request(500'000'000, 1, 1), request(2'000'000'000, 1, 1)};
  EXPECT_DOUBLE_EQ(rate_of(requests), 1.0);
  set_rate(requests, ArrivalKind::trace, 4.0, 0);
  EXPECT_EQ(times(requests), (std::vector<std::int64_t>{0, 125'000'000, 500'000'000}));
}

TEST(Arrivals, EvenArrivalsKeepTheOrder) {  // M-77
  std::vector<Request> requests = {request(9, 1, 1), request(3, 1, 1), request(9, 1, 1)};
  requests.push_back(request(0, 1, 1));
  requests.back().waits = true;
  set_rate(requests, ArrivalKind::even, 2.0, 0);
  EXPECT_EQ(times(requests), (std::vector<std::int64_t>{500'000'000, 0, 1'000'000'000, 0}));
}

TEST(Arrivals, PoissonArrivalsHaveTheirMeanAndSeed) {  // M-77
  std::vector<Request> requests(20'000, request(0, 1, 1));
  set_rate(requests, ArrivalKind::poisson, 10.0, 3);
  EXPECT_EQ(requests.front().arrival_ns, 0);
  EXPECT_NEAR(rate_of(requests), 10.0, 0.2);
  double squares = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const double gap = static_cast<double>(requests[i].arrival_ns - requests[i - 1].arrival_ns) / 1e8;
    squares += gap * gap;
  }
  EXPECT_NEAR(squares / 20'000, 2.0, 0.1);  // of an exponential distribution of mean 1
  std::vector<Request> again(20'000, request(0, 1, 1)), other = again;
  set_rate(again, ArrivalKind::poisson, 10.0, 3);
  set_rate(other, ArrivalKind::poisson, 10.0, 4);
  EXPECT_EQ(times(again), times(requests));
  EXPECT_NE(times(other), times(requests));
}

TEST(Arrivals, WithoutAPatternThereIsNoneToScale) {  // M-78
  std::vector<Request> requests = {request(5, 1, 1), request(5, 1, 1)};
  EXPECT_EQ(rate_of(requests), 0.0);
  EXPECT_THROW(set_rate(requests, ArrivalKind::trace, 1.0, 0), Error);
  EXPECT_NO_THROW(set_rate(requests, ArrivalKind::even, 1.0, 0));
  EXPECT_THROW(set_rate(requests, ArrivalKind::even, 1e-7, 0), Error);
}

}  // namespace
}  // namespace kb::serving
