// Tables of comma-separated values: the one reader and the one writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kb::files {

// One line with its end. Cells with a comma, a quotation mark or a line break are quoted (RFC 4180), because their
// words may come from any data file.
std::string csv_line(const std::vector<std::string>& cells);

struct CsvCell {
  std::string text;
  bool quoted = false;
};

// The cells of one line, as in RFC 4180: one in quotation marks may hold commas and quotation marks. Blanks around a
// cell without them do not belong to it.
std::vector<CsvCell> csv_cells(std::string_view line);

// The records of a text, one after the other, in which a cell in quotation marks may hold line breaks, too. Empty lines
// and lines that begin with # are left out, and so is a byte order mark. The text outlives the reader.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text);

  // The next record; false at the end.
  bool next(std::vector<CsvCell>& record);
  // The line, counted from 1, on which the latest record began, and its text without the line's end.
  std::size_t line() const { return line_; }
  std::string_view text() const { return record_; }

 private:
  bool skip_to_record();

  std::string_view rest_;
  std::string_view record_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

}  // namespace kb::files
