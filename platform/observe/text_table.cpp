#include "platform/observe/text_table.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace kb::observe {
namespace {

// Code points, so that a micro sign counts as one column.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  return widths;
}

std::string TextTable::render(const std::string& indent, std::size_t width) const {
  constexpr std::size_t kLeastLast = 20;
  std::vector<std::size_t> widths = this->widths();
  std::size_t before = indent.size();
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + 2;
  if (width > 0) widths.back() = std::min(widths.back(), std::max(width - std::min(width, before), kLeastLast));
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = indent;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = i < cells.size() ? cells[i] : "";
      const std::string blanks(widths[i] - std::min(widths[i], display_width(cell)), ' ');
      if (i > 0) text += "  ";
      text += columns_[i].align == Align::left ? cell + blanks : blanks + cell;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  const auto row_lines = [&](std::vector<std::string> cells) {
    const bool fits = cells.size() < columns_.size() || display_width(cells.back()) <= widths.back();
    if (fits) return line(cells);
    for (const std::string& part : wrapped(cells.back(), widths.back())) {
      cells.back() = part;
      line(cells);
      for (std::string& cell : cells) cell.clear();
    }
  };
  std::vector<std::string> titles, rules;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    rules.emplace_back(widths[i], '-');
  }
  line(titles);
  line(rules);
  for (const auto& row : rows_) row_lines(row);
  return out;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width;
    if (fits) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string fixed(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

}  // namespace kb::observe
