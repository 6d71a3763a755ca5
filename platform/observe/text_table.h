// Columns of text for people: widths follow the content.
#pragma once

#include <string>
#include <vector>

namespace kb::observe {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // Title line, a rule, then the rows, each line starting with `indent`; no trailing blanks.
  std::string render(const std::string& indent = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// printf's "%.*f".
std::string fixed(double value, int decimals);

}  // namespace kb::observe
