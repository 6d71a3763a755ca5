#include "sim/study/files/csv.h"

#include <algorithm>

namespace kb::files {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes a cell up to the next comma or line break, which is not consumed; counts its lines.
CsvCell take_cell(std::string_view& rest, std::size_t& line) {
  CsvCell cell;
  const std::size_t first = std::min(rest.find_first_not_of(" \t"), rest.size());
  if (first < rest.size() && rest[first] == '"') {
    cell.quoted = true;
    std::size_t at = first + 1;
    for (; at < rest.size() && (rest[at] != '"' || (at + 1 < rest.size() && rest[at + 1] == '"')); ++at) {
      if (rest[at] == '"') ++at;
      if (rest[at] == '\n') ++line;
      cell.text += rest[at];
    }
    cell.open = at >= rest.size();
    rest.remove_prefix(std::min(at + 1, rest.size()));
  }
  const std::string_view behind = rest.substr(0, rest.find_first_of(",\n"));
  cell.text += trimmed(behind);
  rest.remove_prefix(behind.size());
  return cell;
}

// Takes the cells of a record up to the next line break, which is not consumed.
void take_cells(std::string_view& rest, std::size_t& line, std::vector<CsvCell>& cells) {
  for (;;) {
    cells.push_back(take_cell(rest, line));
    if (rest.empty() || rest.front() != ',') return;
    rest.remove_prefix(1);
  }
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    const std::string& cell = cells[i];
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + '\n';
}

std::vector<CsvCell> csv_cells(std::string_view line) {
  std::vector<CsvCell> cells;
  std::size_t lines = 0;
  take_cells(line, lines, cells);
  return cells;
}

CsvReader::CsvReader(std::string_view text) : rest_(text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest_.remove_prefix(kByteOrderMark.size());
}

bool CsvReader::skip_to_record() {
  while (!rest_.empty()) {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    const std::string_view content = trimmed(line);
    if (!content.empty() && content.front() != '#') return true;
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    ++next_line_;
  }
  return false;
}

bool CsvReader::next(std::vector<CsvCell>& record) {
  record.clear();
  if (!skip_to_record()) return false;
  line_ = next_line_;
  const char* const begin = rest_.data();
  take_cells(rest_, next_line_, record);
  record_ = trimmed({begin, static_cast<std::size_t>(rest_.data() - begin)});
  if (!rest_.empty()) rest_.remove_prefix(1);
  ++next_line_;
  return true;
}

}  // namespace kb::files
