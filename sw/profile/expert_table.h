// Times of the experts of a layer over tokens and experts that are used.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/profile/line.h"

namespace kb::profile {

class ExpertTable {
 public:
  bool add(std::int64_t tokens, std::int64_t experts, std::int64_t ns);  // false when the cell is there already
  bool empty() const { return experts_.empty(); }
  // Between the two nearest numbers of experts; in each, over tokens (M-63).
  std::int64_t at(std::int64_t tokens, std::int64_t experts) const;
  std::int64_t last_tokens() const;  // the largest number of tokens of any row

 private:
  std::vector<std::int64_t> experts_;  // sorted
  std::vector<Line> rows_;
};

}  // namespace kb::profile
