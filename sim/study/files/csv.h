// Reading and writing of comma-separated values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kb::files {

// One line including its end. Cells with a comma, a quotation mark or a line break are quoted (RFC 4180), because their
// text may come from any data file.
std::string csv_line(const std::vector<std::string>& cells);

struct CsvCell {
  std::string text;
  bool quoted = false;
  bool open = false;  // the text has ended before the closing quotation mark
};

// The cells of one line (RFC 4180): a quoted cell may contain commas and quotation marks. Blanks around an unquoted
// cell are removed.
std::vector<CsvCell> csv_cells(std::string_view line);

// Reads the records of a text; a quoted cell may also contain line breaks. Empty lines, lines that begin with #, and a
// byte order mark are skipped. The text must outlive the reader.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text);

  // Reads the next record; false at the end.
  bool next(std::vector<CsvCell>& record);
  // Line number (from 1) of the latest record's begin, and its text without the line end.
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
