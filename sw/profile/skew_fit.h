// What decodes of unequal context cost beyond as many decodes of their mean.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kb::profile {

// Labels of the buckets of a value: the first one whose right edge is not below it. There is one edge more than labels.
struct BucketAxis {
  std::vector<double> edges;
  std::vector<std::string> labels;
  const std::string& label(double value) const;
};

class SkewFit {
 public:
  struct Axes {
    BucketAxis decodes, rate, longest, kv_prefill;
  };
  // Axes of a profile that states none.
  static Axes default_axes();

  explicit SkewFit(Axes axes, double default_alpha) : axes_(std::move(axes)), default_alpha_(default_alpha) {}
  // `key`: chunk, then the labels of decodes, rate, longest context and past, joined by '|'. False when it is there.
  bool add(const std::string& key, double alpha) { return alphas_.emplace(key, alpha).second; }
  const Axes& axes() const { return axes_; }
  std::size_t size() const { return alphas_.size(); }

  // `rate` is (mean - min) / (max - min) of the contexts (M-65).
  double alpha(std::int64_t chunk, std::int64_t decodes, double rate, std::int64_t longest,
               std::int64_t kv_prefill) const;

 private:
  Axes axes_;
  double default_alpha_;
  std::map<std::string, double> alphas_;
};

}  // namespace kb::profile
