#include "sim/study/requests/rate_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"
#include "sim/study/requests/input_text.h"

namespace kb::requests {
namespace {

constexpr std::size_t kMostRates = 1000;

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorFamily::configuration, "USAGE_ERROR",
              fmt::format("--sweep-rate needs rates above 0, as 1,2,4 or LOW:HIGH:COUNT with LOW below HIGH and COUNT "
                          "from 2 to {}, not '{}'",
                          kMostRates, text));
}

double rate_in(const std::string& part, const std::string& text) {
  constexpr double kMost = 1e6;
  const std::optional<double> rate = real_number(part);
  if (!rate || *rate <= 0.0 || *rate > kMost) refuse(text);
  return *rate;
}

RatePoint point_of(double rate, const Served& served) {
  const serving::Statistics& all = served.statistics;
  RatePoint point;
  point.rate = rate;
  point.requests_per_s = all.requests_per_s();
  point.output_tokens_per_s = all.output_tokens_per_s();
  point.ttft_p50 = all.first_token.percentile(50);
  point.ttft_p99 = all.first_token.percentile(99);
  point.tpot_mean = all.per_token.mean();
  point.latency_mean = all.latency.mean();
  point.latency_p50 = all.latency.percentile(50);
  point.latency_p99 = all.latency.percentile(99);
  point.preemptions = served.counts.preemptions;
  point.energy = energy_of(all);
  return point;
}

}  // namespace

std::vector<double> parse_rates(const std::string& text) {
  std::vector<double> rates;
  const std::vector<std::string> range = parts_of(text, ':');
  if (range.size() == 3) {
    const double low = rate_in(range[0], text), high = rate_in(range[1], text);
    const std::int64_t count = whole_number(range[2]).value_or(0);
    if (high <= low || count < 2 || count > static_cast<std::int64_t>(kMostRates)) refuse(text);
    for (std::int64_t i = 0; i < count; ++i) {
      const double exponent = static_cast<double>(i) / static_cast<double>(count - 1);
      rates.push_back(i + 1 == count ? high : low * std::pow(high / low, exponent));
    }
    return rates;
  }
  for (const std::string& part : parts_of(text, ',')) rates.push_back(rate_in(part, text));
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  if (rates.size() > kMostRates) refuse(text);
  return rates;
}

RateSweep sweep_rates(const ServingSetup& setup, const std::vector<serving::Request>& requests,
                      const std::vector<double>& rates, serving::ArrivalKind kind, std::uint64_t seed,
                      const std::function<void(std::size_t done)>& tick) {
  RateSweep sweep;
  for (const double rate : rates) {
    std::vector<serving::Request> at_rate = requests;
    serving::set_rate(at_rate, kind, rate, seed);
    ServingListeners listeners;
    listeners.tick = [&](std::size_t) { tick(sweep.points.size()); };
    const std::unique_ptr<Served> served = serve(setup, at_rate, listeners);
    sweep.points.push_back(point_of(rate, *served));
    sweep.abstractions = served->abstractions;
  }
  sweep.knee = knee_of(sweep.points);
  return sweep;
}

std::optional<std::size_t> knee_of(const std::vector<RatePoint>& points) {
  if (points.size() < 3) return std::nullopt;
  const RatePoint &first = points.front(), &last = points.back();
  const double width = last.requests_per_s - first.requests_per_s, height = last.latency_mean - first.latency_mean;
  if (width <= 0.0 || height <= 0.0) return std::nullopt;
  std::optional<std::size_t> knee;
  double most = 0.0;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const double below = (points[i].requests_per_s - first.requests_per_s) / width -
                         (points[i].latency_mean - first.latency_mean) / height;
    if (below <= most) continue;
    most = below;
    knee = i;
  }
  return knee;
}

}  // namespace kb::requests
