#include "platform/observe/text_table.h"

#include <algorithm>
#include <cstdio>

namespace kb::observe {
namespace {

// Code points, so that a micro sign counts as one column.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string TextTable::render(const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = indent;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = i < cells.size() ? cells[i] : "";
      const std::string blanks(widths[i] - display_width(cell), ' ');
      if (i > 0) text += "  ";
      text += columns_[i].align == Align::left ? cell + blanks : blanks + cell;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  std::vector<std::string> titles, rules;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    rules.emplace_back(widths[i], '-');
  }
  line(titles);
  line(rules);
  for (const auto& row : rows_) line(row);
  return out;
}

std::string fixed(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

}  // namespace kb::observe
