// A place in a result: what a column shows.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kb::sweep {

using Json = nlohmann::ordered_json;

// A JSON pointer ("/launches/0/pe_exec_ns/max") with two additions: in a list whose entries have names, a name stands
// for the entry ("/figures/critical path/value"), and * stands for every entry, of which the word before the pointer
// makes one value: max, min, sum, mean or count ("max /launches/*/pe_exec_ns/max").
class Selector {
 public:
  // Configuration Error that says what is wrong with the text.
  explicit Selector(const std::string& text);
  // True when the text is meant as one, and is no formula.
  static bool is_selector(const std::string& text);

  // A number, a text, true, false or null. Program Error with the nearest name when the result has no such place.
  Json select(const Json& result) const;

  const std::string& text() const { return text_; }
  // The outermost member of the result: "launches". And whether single PEs of launches may be meant.
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
