#include "sw/profile/context_pattern.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kb::profile {
namespace {

// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t end) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(end)); }

 private:
  std::uint64_t state_;
};

// Scales the contexts to the mean and corrects what rounding leaves, from the first on.
void scale(std::vector<std::int64_t>& contexts, std::int64_t mean, std::int64_t longest) {
  const auto count = static_cast<std::int64_t>(contexts.size());
  const double sum = static_cast<double>(std::accumulate(contexts.begin(), contexts.end(), std::int64_t{0}));
  const double factor = static_cast<double>(mean * count) / sum;
  for (std::int64_t& context : contexts) {
    const auto scaled = static_cast<std::int64_t>(static_cast<double>(context) * factor + 0.5);
    context = std::clamp<std::int64_t>(scaled, 1, longest);
  }
  std::int64_t rest = mean * count - std::accumulate(contexts.begin(), contexts.end(), std::int64_t{0});
  for (std::int64_t& context : contexts) {
    const std::int64_t corrected = std::clamp<std::int64_t>(context + rest, 1, longest);
    rest -= corrected - context;
    context = corrected;
  }
}

}  // namespace

ContextPattern::ContextPattern(const std::vector<serving::Request>& requests) {
  std::int64_t all = 0;
  std::uint64_t digest = 0;
  for (const serving::Request& request : requests) {
    all += request.output_tokens;
    inputs_.push_back(request.input_tokens);
    answers_.push_back(all);
    const auto both =
        static_cast<std::uint64_t>(request.input_tokens) << 32 ^ static_cast<std::uint64_t>(request.output_tokens);
    digest = Numbers(digest ^ both).next();
  }
  text_ = "trace " + std::to_string(digest);
}

std::vector<std::int64_t> ContextPattern::contexts(std::int64_t count, std::int64_t mean, std::int64_t draw,
                                                   std::int64_t longest) const {
  constexpr std::int64_t kSamples = 1 << 20;
  Numbers numbers(static_cast<std::uint64_t>(count * kSamples + draw));
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) {
    if (answers_.empty()) {
      out.push_back(count + 1 + 2 * i);  // from half of the mean, 2 count, to one and a half
      std::swap(out.back(), out[static_cast<std::size_t>(numbers.below(i + 1))]);
      continue;
    }
    const std::int64_t token = numbers.below(answers_.back());
    const auto found = std::upper_bound(answers_.begin(), answers_.end(), token);
    const auto request = static_cast<std::size_t>(found - answers_.begin());
    out.push_back(inputs_[request] + token - (request == 0 ? 0 : answers_[request - 1]) + 1);
  }
  scale(out, mean, longest);
  return out;
}

}  // namespace kb::profile
