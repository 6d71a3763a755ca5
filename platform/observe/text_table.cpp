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

std::vector<std::size_t> TextTable::wrapping() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].wraps) found.push_back(i);
  }
  return found.empty() ? std::vector<std::size_t>{columns_.size() - 1} : found;
}

std::string TextTable::render(const std::string& indent, std::size_t width) const {
  constexpr std::size_t kLeast = 20;
  std::vector<std::size_t> widths = this->widths();
  const std::vector<std::size_t> broken = wrapping();
  std::size_t total = indent.size() + 2 * (widths.size() - 1);
  for (const std::size_t one : widths) total += one;
  for (; width > 0 && total > width; --total) {  // shrinks the widest column first
    const std::size_t widest = *std::max_element(broken.begin(), broken.end(),
                                                 [&](std::size_t a, std::size_t b) { return widths[a] < widths[b]; });
    if (widths[widest] <= kLeast) break;
    --widths[widest];
  }
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
  const auto row_lines = [&](const std::vector<std::string>& cells) {
    std::vector<std::vector<std::string>> parts;  // lines of each cell
    std::size_t lines = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool breaks = std::find(broken.begin(), broken.end(), i) != broken.end();
      const bool fits = !breaks || display_width(cells[i]) <= widths[i];
      parts.push_back(fits ? std::vector<std::string>{cells[i]} : wrapped(cells[i], widths[i]));
      lines = std::max(lines, parts.back().size());
    }
    for (std::size_t at = 0; at < lines; ++at) {
      std::vector<std::string> texts;
      for (const std::vector<std::string>& cell : parts) texts.push_back(at < cell.size() ? cell[at] : "");
      line(texts);
    }
  };
  std::vector<std::string> titles, rules;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    rules.emplace_back(widths[i], '-');
  }
  line(titles);
  line(rules);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto heading = headings_.find(i);
    if (heading != headings_.end()) out += '\n' + indent + heading->second + '\n';
    row_lines(rows_[i]);
  }
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
