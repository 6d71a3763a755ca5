// Text files of users: contents, rows of CSV, numbers, and all problems at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"

namespace kb::requests {

// The problems of one or several files; those beyond kMaxProblems are not kept.
class Problems {
 public:
  void add(const std::string& file, std::size_t line, const std::string& key, const std::string& message,
           const std::string& remedy);
  bool full() const;
  bool empty() const { return list_.empty(); }
  void throw_if_any();  // configuration Error

 private:
  std::vector<Diagnostic> list_;
};

// The contents of a file, unpacked if it is packed by gzip. Configuration Error with file and reason.
std::string read_text(const std::string& file);

std::optional<std::int64_t> whole_number(std::string_view text);
std::optional<double> real_number(std::string_view text);  // finite
std::string cells_text(std::size_t count);                 // "1 cell", "3 cells"

// Rows of numbers below an exact header line.
class NumberTable {
 public:
  // `columns` are the header; a wrong one is a problem, after which there are no rows. Lines may end with CR LF.
  NumberTable(const std::string& file, const std::vector<std::string>& columns, Problems& problems);
  ~NumberTable();
  NumberTable(const NumberTable&) = delete;
  NumberTable& operator=(const NumberTable&) = delete;

  bool next();  // the next row with the right number of cells; others are problems
  const std::string& text(std::size_t column) const;
  // At least `least`; a problem and no value otherwise.
  std::optional<std::int64_t> whole(std::size_t column, std::int64_t least);
  std::optional<double> real(std::size_t column);
  // A time above 0.
  std::optional<double> time_us(std::size_t column);
  void problem(std::size_t column, const std::string& message, const std::string& remedy);
  std::size_t rows() const { return rows_; }

 private:
  struct Reader;
  const std::string file_;
  const std::vector<std::string> columns_;
  Problems& problems_;
  std::unique_ptr<Reader> reader_;
  std::size_t rows_ = 0;
};

}  // namespace kb::requests
