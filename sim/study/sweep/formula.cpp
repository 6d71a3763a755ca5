#include "sim/study/sweep/formula.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::sweep {

struct Formula::Parser {
  mu::Parser parser;
  std::vector<double> values;  // muParser reads them here
};

Formula::Formula(const std::string& text, const std::vector<std::string>& names) : parser_(std::make_unique<Parser>()) {
  try {
    mu::Parser& parser = parser_->parser;
    parser.SetExpr(text);
    for (const auto& [name, address] : parser.GetUsedVar()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw Error::configuration(
            fmt::format("'{}' is neither an axis nor a column above this one; {}", name, suggest(name, names)));
      }
      variables_.push_back(name);
    }
    parser_->values.resize(variables_.size(), 1.0);
    for (std::size_t i = 0; i < variables_.size(); ++i) parser.DefineVar(variables_[i], &parser_->values[i]);
    parser.Eval();
  } catch (const mu::ParserError& error) {
    throw Error::configuration("the formula cannot be read: " + error.GetMsg());
  }
}

Formula::~Formula() = default;
Formula::Formula(Formula&& other) noexcept = default;

std::optional<double> Formula::evaluate(const std::vector<double>& values) const {
  parser_->values.assign(values.begin(), values.end());
  try {
    const double result = parser_->parser.Eval();
    return std::isfinite(result) ? std::optional(result) : std::nullopt;
  } catch (const mu::ParserError&) {
    return std::nullopt;
  }
}

}  // namespace kb::sweep
