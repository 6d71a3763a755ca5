#include "sw/profile/skew_fit.h"

#include <algorithm>

namespace kb::profile {

const std::string& BucketAxis::label(double value) const {
  for (std::size_t i = 0; i + 1 < labels.size(); ++i) {
    if (value <= edges[i + 1]) return labels[i];
  }
  return labels.back();
}

SkewFit::Axes SkewFit::default_axes() {
  return {{{0, 2, 4, 8, 16, 32, 64, 128, 1e6}, {"n<=2", "n<=4", "n<=8", "n<=16", "n<=32", "n<=64", "n<=128", "n>128"}},
          {{-0.01, 0.05, 0.15, 0.4, 0.7, 1.01}, {"sr<=5%", "sr<=15%", "sr<=40%", "sr<=70%", "sr>70%"}},
          {{0, 1024, 4096, 16384, 1e9}, {"kvB<=1k", "kvB<=4k", "kvB<=16k", "kvB>16k"}},
          {{-1, 0, 2048, 1e9}, {"kp=0", "kp<=2k", "kp>2k"}}};
}

double SkewFit::alpha(std::int64_t chunk, std::int64_t decodes, double rate, std::int64_t longest,
                      std::int64_t kv_prefill) const {
  const std::string key = std::to_string(chunk) + "|" + axes_.decodes.label(static_cast<double>(decodes)) + "|" +
                          axes_.rate.label(std::clamp(rate, 0.0, 1.0)) + "|" +
                          axes_.longest.label(static_cast<double>(longest)) + "|" +
                          axes_.kv_prefill.label(static_cast<double>(kv_prefill));
  const auto found = alphas_.find(key);
  return found == alphas_.end() ? default_alpha_ : found->second;
}

}  // namespace kb::profile
