// Collects the relations that a data file violates (E-9).
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

class Checker {
 public:
  // `prefix` stands before every text.
  explicit Checker(std::string prefix = "") : prefix_(std::move(prefix)) {}

  // `rule`: the requirement; `text`: a format string of fmt for `args`.
  template <typename... Args>
  void expect(bool holds, const char* rule, const char* text, const Args&... args) {
    if (!holds) violations_.push_back({rule, prefix_ + fmt::format(fmt::runtime(text), args...)});
  }
  std::vector<Violation> take() { return std::move(violations_); }

 private:
  std::string prefix_;
  std::vector<Violation> violations_;
};

}  // namespace kb::evaluate
