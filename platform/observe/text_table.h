// A table of text columns whose widths follow the contents.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kb::observe {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    bool wraps = false;  // cells may be wrapped between words; the last column may always be
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Adds an empty line and a heading before the row that is added next.
  void add_heading(std::string text) { headings_[rows_.size()] = std::move(text); }
  bool empty() const { return rows_.empty(); }
  // Title line, a rule, then the rows and headings. Each line starts with `indent` and has no trailing blanks. With a
  // `width`, lines that are too long are wrapped between words: in the columns with `wraps`, or else in the last one.
  std::string render(const std::string& indent = "", std::size_t width = 0) const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> wrapping() const;  // indices of columns
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::size_t, std::string> headings_;  // key: index of the row that follows
};

// Splits `text` into lines of at most `width` columns, between words; a longer word gets its own line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

// printf's "%.*f".
std::string fixed(double value, int decimals);

}  // namespace kb::observe
