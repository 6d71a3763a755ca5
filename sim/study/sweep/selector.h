// Selects a value in a result, for a column.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kb::sweep {

using Json = nlohmann::ordered_json;

// A JSON pointer ("/launches/0/pe_exec_ns/max") with two extensions: in a list of named entries, a name selects the
// entry ("/figures/critical path/value"); and * selects all entries, which the word before the pointer reduces to one
// value: max, min, sum, mean or count ("max /launches/*/pe_exec_ns/max").
class Selector {
 public:
  // Configuration Error that describes the problem in the text.
  explicit Selector(const std::string& text);
  // True when the text has the form of a selector and not of a formula.
  static bool is_selector(const std::string& text);

  // Returns a number, a text, a boolean or null. Program Error with the nearest name when the result does not have the
  // place.
  Json select(const Json& result) const;

  const std::string& text() const { return text_; }
  // First member of the path in the result: "launches". mentions() tells whether the path may contain a token.
  const std::string& member() const { return tokens_.front(); }
  bool mentions(const std::string& token) const;

 private:
  enum class Reduction : std::uint8_t { none, max, min, sum, mean, count };
  void collect(const Json& at, std::size_t depth, std::vector<Json>& found) const;
  std::string path(std::size_t depth) const;

  std::string text_;
  std::vector<std::string> tokens_;
  Reduction reduction_ = Reduction::none;
};

}  // namespace kb::sweep
