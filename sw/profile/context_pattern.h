// Contexts of the decodes of a step as they are in serving: not equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/serving/request.h"

namespace kb::profile {

class ContextPattern {
 public:
  // Contexts spread evenly from half of the mean to one and a half, in a mixed order.
  ContextPattern() = default;
  // Contexts of requests at random places of their answers; a request occurs the more often, the longer its answer is.
  explicit ContextPattern(const std::vector<serving::Request>& requests);

  // `count` contexts with the new token, from 1 to `longest`, whose sum is count x mean, or nearest to it. The same
  // arguments give the same contexts; `draw` numbers samples.
  std::vector<std::int64_t> contexts(std::int64_t count, std::int64_t mean, std::int64_t draw,
                                     std::int64_t longest) const;
  // Stands for the pattern in keys.
  const std::string& text() const { return text_; }

 private:
  std::vector<std::int64_t> inputs_, answers_;  // answers: output tokens up to the end of each request
  std::string text_ = "even";
};

}  // namespace kb::profile
