#include "sim/evaluate/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/base/error.h"
#include "platform/base/whole_number.h"
#include "platform/topology/input_file.h"
#include "platform/topology/scalar_text.h"

namespace kb::evaluate {
namespace {

data::TableCell cell_of(const std::string& text, bool quoted) {
  if (quoted) return text;
  if (text.empty()) return {};
  std::int64_t number = 0;
  if (parse_whole(text, number) == std::errc{}) return number;
  if (const std::optional<double> real = topology::to_real(text)) return *real;
  return text;
}

// One record from `at` on, which goes to the begin of the next.
data::TableRow record_of(const std::string& text, std::size_t& at, std::size_t& line) {
  data::TableRow cells;
  for (;;) {
    std::string cell;
    const bool quoted = at < text.size() && text[at] == '"';
    if (quoted) {
      for (++at; at < text.size() && (text[at] != '"' || (at + 1 < text.size() && text[at + 1] == '"')); ++at) {
        if (text[at] == '"') ++at;
        if (text[at] == '\n') ++line;
        cell += text[at];
      }
      ++at;
    }
    while (at < text.size() && text[at] != ',' && text[at] != '\n') cell += text[at++];
    if (!cell.empty() && cell.back() == '\r') cell.pop_back();
    cells.push_back(cell_of(cell, quoted));
    const bool more = at < text.size() && text[at] == ',';
    ++at;
    if (!more) return cells;
  }
}

}  // namespace

CsvTable read_csv_table(const std::string& file) {
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text =
      topology::read_file(file, "names of files are relative to the folder of the evaluation", problems);
  topology::throw_if_any(std::move(problems));
  if (const std::size_t zero = text->find('\0'); zero != std::string::npos) {
    const auto before = text->begin() + static_cast<std::ptrdiff_t>(zero);
    throw Error::configuration(fmt::format("{}:{}: a zero byte; a table must be plain text (CSV)", file,
                                           1 + std::count(text->begin(), before, '\n')));
  }
  CsvTable table;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text->size();) {
    ++line;
    if ((*text)[at] == '#' || (*text)[at] == '\n') {
      at = std::min(text->find('\n', at), text->size() - 1) + 1;
      continue;
    }
    const std::size_t begin = line;
    data::TableRow row = record_of(*text, at, line);
    if (table.columns.empty()) {
      for (const data::TableCell& cell : row) table.columns.push_back(data::text_of(cell));
    } else if (row.size() != table.columns.size()) {
      throw Error::configuration(fmt::format(
          "{}:{}: {} cells, but the table has {} columns; give every row as many, and cells with a comma \"quotation "
          "marks\"",
          file, begin, row.size(), table.columns.size()));
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  if (table.columns.empty()) {
    throw Error::configuration(file + ":1: there is no line with the names of columns (the first line names them, " +
                               "for example shape,time_ns)");
  }
  return table;
}

}  // namespace kb::evaluate
