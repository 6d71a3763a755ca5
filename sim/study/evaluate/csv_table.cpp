#include "sim/study/evaluate/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/base/error.h"
#include "platform/base/whole_number.h"
#include "platform/topology/input_file.h"
#include "platform/topology/scalar_text.h"
#include "sim/study/files/csv.h"

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
  files::CsvReader reader(*text);
  for (std::vector<files::CsvCell> record; reader.next(record);) {
    if (table.columns.empty()) {
      for (const files::CsvCell& cell : record) table.columns.push_back(cell.text);
    } else if (record.size() != table.columns.size()) {
      throw Error::configuration(fmt::format(
          "{}:{}: {} cells, but the table has {} columns; give every row as many, and cells with a comma \"quotation "
          "marks\"",
          file, reader.line(), record.size(), table.columns.size()));
    } else {
      data::TableRow& row = table.rows.emplace_back();
      for (const files::CsvCell& cell : record) row.push_back(cell_of(cell.text, cell.quoted));
    }
  }
  if (table.columns.empty()) {
    throw Error::configuration(file + ":1: there is no line with the names of columns (the first line names them, " +
                               "for example shape,time_ns)");
  }
  return table;
}

}  // namespace kb::evaluate
