// Comparisons with a bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "sim/study/verify/golden.h"
#include "sim/study/verify/reference_model.h"

namespace kb::verify {

struct Check {
  std::string name;     // "logits of decode"
  std::string against;  // "reference"
  std::string measure;  // "largest difference"
  double figure = 0, bound = 0;
  std::string where;                               // of the figure; may be empty
  bool passed() const { return figure <= bound; }  // not a number fails
};

// Rounding allows so much: of logits, whose standard deviation is about three, and of a cache relative to its root mean
// square.
struct Bounds {
  double logit_max = 0, logit_rms = 0, cache = 0;
};
Bounds bounds_of(Dtype dtype);

// Differences of vectors of logits, largest and root mean square; becomes two checks.
class LogitCheck {
 public:
  LogitCheck(std::string name, std::string against) : name_(std::move(name)), against_(std::move(against)) {}
  void add(const std::vector<double>& found, const std::vector<double>& expected, const std::string& where);
  void add(double found, double expected, const std::string& where);
  void finish(const Bounds& bounds, std::vector<Check>& checks) const;

 private:
  std::string name_, against_, where_;
  double largest_ = 0, squares_ = 0;
  std::int64_t count_ = 0;
};

// Root mean square of the difference relative to that of `expected`; the largest of all that are added counts.
class CacheCheck {
 public:
  CacheCheck(std::string name, std::string against) : name_(std::move(name)), against_(std::move(against)) {}
  void add(const std::vector<double>& found, const std::vector<double>& expected, const std::string& where);
  // Sum of each token, norm and weighted sum, each relative to what a random difference of this size makes of it.
  void add(const std::vector<double>& found, const GoldenCache& expected, const std::string& where);
  void finish(const Bounds& bounds, std::vector<Check>& checks) const;

 private:
  void add_figure(double figure, const std::string& where);
  std::string name_, against_, where_;
  double largest_ = 0;
};

}  // namespace kb::verify
