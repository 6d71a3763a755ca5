#include "sim/study/requests/input_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "platform/base/problem_limit.h"
#include "platform/base/whole_number.h"
#include "platform/observe/packed_file.h"
#include "platform/topology/input_file.h"
#include "sim/study/files/csv.h"

namespace kb::requests {

void Problems::add(const std::string& file, std::size_t line, const std::string& key, const std::string& message,
                   const std::string& remedy) {
  if (list_.size() <= kMaxProblems) list_.push_back({file, static_cast<int>(line), 0, key, message, remedy});
}

bool Problems::full() const {
  return list_.size() > kMaxProblems;
}

void Problems::throw_if_any() {
  if (list_.empty()) return;
  if (full()) list_.resize(kMaxProblems + 1);
  throw Error(std::move(list_));
}

std::string read_text(const std::string& file) {
  try {
    observe::PackedInput input(file);
    std::string text;
    for (std::string_view piece = input.next(); !piece.empty(); piece = input.next()) text += piece;
    return text;
  } catch (const std::system_error& error) {
    throw Error({Diagnostic{file, 0, 0, "", "cannot be read: " + error.code().message(),
                            topology::remedy_of(error.code().value())}});
  }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  if (parse_whole(text, value) != std::errc()) return std::nullopt;
  return value;
}

std::optional<double> real_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string cells_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "cell" : "cells");
}

struct NumberTable::Reader {
  explicit Reader(std::string contents) : text(std::move(contents)), csv(text) {}
  std::string text;
  files::CsvReader csv;
  std::vector<files::CsvCell> cells;
  bool usable = true;
};

NumberTable::NumberTable(const std::string& file, const std::vector<std::string>& columns, Problems& problems)
    : file_(file), columns_(columns), problems_(problems), reader_(std::make_unique<Reader>(read_text(file))) {
  const std::string wanted = fmt::format("{}", fmt::join(columns, ","));
  std::vector<std::string> found;
  if (reader_->csv.next(reader_->cells)) {
    for (const files::CsvCell& cell : reader_->cells) found.push_back(cell.text);
  }
  reader_->usable = found == columns;
  if (reader_->usable) return;
  problems_.add(file_, reader_->csv.line(), "",
                found.empty() ? "the file is empty" : fmt::format("the header is {}", fmt::join(found, ",")),
                "write exactly " + wanted);
}

NumberTable::~NumberTable() = default;

bool NumberTable::next() {
  while (reader_->usable && !problems_.full() && reader_->csv.next(reader_->cells)) {
    ++rows_;
    if (reader_->cells.size() == columns_.size()) return true;
    problems_.add(file_, reader_->csv.line(), "",
                  fmt::format("the row has {} instead of {}", cells_text(reader_->cells.size()), columns_.size()),
                  fmt::format("columns: {}", fmt::join(columns_, ",")));
  }
  return false;
}

const std::string& NumberTable::text(std::size_t column) const {
  return reader_->cells[column].text;
}

std::optional<std::int64_t> NumberTable::whole(std::size_t column, std::int64_t least) {
  const std::optional<std::int64_t> value = whole_number(text(column));
  constexpr std::int64_t kMost = 1'000'000'000;
  if (value && *value >= least && *value <= kMost) return value;
  problem(column, "'" + text(column) + "' is not a count",
          fmt::format("write a whole number from {} to {}", least, kMost));
  return std::nullopt;
}

std::optional<double> NumberTable::real(std::size_t column) {
  const std::optional<double> value = real_number(text(column));
  if (!value) problem(column, "'" + text(column) + "' is not a number", "write a decimal number");
  return value;
}

std::optional<double> NumberTable::time_us(std::size_t column) {
  constexpr double kMostUs = 1e12;
  const std::optional<double> value = real_number(text(column));
  if (value && *value > 0.0 && *value <= kMostUs) return value;
  problem(column, "'" + text(column) + "' is not a time", "write microseconds above 0");
  return std::nullopt;
}

void NumberTable::problem(std::size_t column, const std::string& message, const std::string& remedy) {
  problems_.add(file_, reader_->csv.line(), columns_[column], message, remedy);
}

}  // namespace kb::requests
