// Formulas over the columns of a table.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kb::sweep {

// "2 * m * n * k / time_ns", "mode == 1 ? a : b"; functions min, max, sum, avg, abs, sqrt, ln, log2, log10, exp; the
// operator ^ is pow.
class Formula {
 public:
  // `names` are the allowed variables. Configuration Error that describes the problem.
  Formula(const std::string& text, const std::vector<std::string>& names);
  ~Formula();
  Formula(Formula&& other) noexcept;

  // The used variables.
  const std::vector<std::string>& variables() const { return variables_; }
  // `values` are those of variables(), in order. Returns no value when the result is not finite.
  std::optional<double> evaluate(const std::vector<double>& values) const;

 private:
  struct Parser;
  std::vector<std::string> variables_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace kb::sweep
