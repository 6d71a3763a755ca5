// Columns of text for people: widths follow the content.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kb::observe {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    bool wraps = false;  // cells may be broken between words, as those of the last column always may
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // Title line, a rule, then the rows, each line starting with `indent`; no trailing blanks. With a `width` cells are
  // broken between words where a line would be longer: those of the columns that wrap, or else of the last one.
  std::string render(const std::string& indent = "", std::size_t width = 0) const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> wrapping() const;  // indices of columns
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` in lines of at most `width` columns, broken between words; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

// printf's "%.*f".
std::string fixed(double value, int decimals);

}  // namespace kb::observe
