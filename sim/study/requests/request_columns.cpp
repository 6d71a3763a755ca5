// Traces as tables: Azure, Vidur, splitwise-sim.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "platform/base/nearest.h"
#include "sim/study/files/csv.h"
#include "sim/study/requests/input_text.h"
#include "sim/study/requests/request_file.h"
#include "sim/study/requests/timestamp.h"

namespace kb::requests {
namespace {

using serving::Request;

class ColumnReader {
 public:
  ColumnReader(std::string file, const std::string& text, const TraceRules& rules, RequestTrace& trace,
               Problems& problems)
      : file_(std::move(file)), csv_(text), rules_(rules), trace_(trace), problems_(problems) {}

  void read() {
    if (!csv_.next(cells_)) return problem("", "the file is empty", kFormats);
    for (const files::CsvCell& cell : cells_) header_.push_back(cell.text);
    const auto row = reader_of_header();
    if (row == nullptr) return;
    while (!problems_.full() && csv_.next(cells_)) {
      if (cells_.back().open) {
        problem("", "a quotation mark of the row is not closed", "add it");
        continue;
      }
      if (cells_.size() != header_.size()) {
        problem("", fmt::format("the row has {} instead of {}", cells_text(cells_.size()), header_.size()),
                fmt::format("columns: {}", fmt::join(header_, ",")));
        continue;
      }
      (this->*row)();
    }
    if (azure_) shift_to_zero();
    if (cut_ > 0) {
      warn(fmt::format("{} requests are longer than {} tokens and are cut, as Vidur does", cut_,
                       rules_.vidur_max_tokens),
           "--vidur-max-tokens has another limit");
    }
    if (raised_ > 0) warn(fmt::format("{} requests without tokens get one, as in Vidur", raised_), "");
    if (!trace_.has_times) shuffle();
  }

 private:
  using Row = void (ColumnReader::*)();
  static constexpr const char* kFormats =
      "known traces: JSON lines with input_toks, or a table with TIMESTAMP,ContextTokens,GeneratedTokens (Azure), with "
      "arrived_at,num_prefill_tokens,num_decode_tokens (Vidur) or with arrival_timestamp,prompt_size,token_size "
      "(splitwise-sim)";

  void problem(const std::string& column, const std::string& message, const std::string& remedy) {
    problems_.add(file_, csv_.line(), column, message, remedy);
  }
  void warn(const std::string& message, const std::string& remedy) {
    trace_.warnings.push_back({file_, 0, 0, "", message, remedy});
  }
  bool has(const std::string& column) const {
    return std::find(header_.begin(), header_.end(), column) != header_.end();
  }

  Row reader_of_header() {
    if (has("TIMESTAMP")) {
      trace_.format = "Azure";
      azure_ = true;
      return take_columns({"TIMESTAMP", "ContextTokens", "GeneratedTokens"}, {"NumImages"}) ? &ColumnReader::take_azure
                                                                                            : nullptr;
    }
    if (has("arrival_timestamp")) {
      trace_.format = "splitwise-sim";
      return take_columns({"arrival_timestamp", "prompt_size", "token_size", "request_type", "batch_size"},
                          {"request_id", "application_id"})
                 ? &ColumnReader::take_splitwise
                 : nullptr;
    }
    if (has("num_prefill_tokens") || has("num_decode_tokens")) {
      trace_.has_times = has("arrived_at");
      trace_.format = trace_.has_times ? "Vidur" : "Vidur, lengths only";
      std::vector<std::string> columns = {"num_prefill_tokens", "num_decode_tokens"};
      if (trace_.has_times) columns.emplace_back("arrived_at");
      return take_columns(columns, header_) ? &ColumnReader::take_vidur : nullptr;
    }
    const std::string header = fmt::format("{}", fmt::join(header_, ","));
    const std::size_t other = header_.size() == 1 ? header.find_first_of(";\t|") : std::string::npos;
    if (other != std::string::npos) {
      const std::string sign = header[other] == '\t' ? "tabs" : fmt::format("'{}'", header[other]);
      problem("", "the columns are separated by " + sign, "separate them by commas");
      return nullptr;
    }
    constexpr std::size_t kMostShown = 100;
    const std::string shown = header.size() <= kMostShown ? header : header.substr(0, kMostShown) + "...";
    problem("", fmt::format("the columns {} are of no known trace", shown), kFormats);
    return nullptr;
  }

  // Finds the columns, warns of those that are not read.
  bool take_columns(const std::vector<std::string>& needed, const std::vector<std::string>& ignored) {
    std::vector<std::string> unknown;
    for (const std::string& name : header_) {
      const bool known = std::find(needed.begin(), needed.end(), name) != needed.end() ||
                         std::find(ignored.begin(), ignored.end(), name) != ignored.end();
      if (!known) unknown.push_back(name);
    }
    for (const std::string& name : needed) {
      const auto found = std::find(header_.begin(), header_.end(), name);
      if (std::count(header_.begin(), header_.end(), name) > 1)
        problem(name, "the column is there twice", "remove one");
      if (found == header_.end()) {
        const std::string near = nearest_name(name, unknown);
        problem(name, "the column is missing", near.empty() ? "add it" : "did you write '" + near + "' for it?");
        return false;
      }
      columns_.push_back(static_cast<std::size_t>(found - header_.begin()));
    }
    for (const std::string& name : unknown) warn("the column '" + name + "' is not read", "");
    return true;
  }

  const std::string& cell(std::size_t column) const { return cells_[columns_[column]].text; }
  const std::string& name(std::size_t column) const { return header_[columns_[column]]; }

  std::optional<std::int64_t> tokens(std::size_t column) {
    const std::optional<std::int64_t> value = whole_number(cell(column));
    if (value && *value >= 0 && *value <= kMostTokens) return value;
    problem(name(column), "'" + cell(column) + "' is not a number of tokens", "write a whole number from 0 on");
    return std::nullopt;
  }

  std::optional<std::int64_t> seconds(std::size_t column) {
    const std::optional<double> value = real_number(cell(column));
    constexpr double kMost = 1e9;
    if (value && *value >= 0.0 && *value <= kMost) return std::llround(*value * 1e9);
    problem(name(column), "'" + cell(column) + "' is not a time", "write seconds from 0 on");
    return std::nullopt;
  }

  void add(std::int64_t arrival_ns, std::int64_t input, std::int64_t output) {
    Request request;
    request.line = static_cast<int>(csv_.line());
    request.arrival_ns = arrival_ns;
    request.input_tokens = input;
    request.output_tokens = output;
    trace_.requests.push_back(std::move(request));
  }

  void take_azure() {
    const std::optional<std::int64_t> at = timestamp_ns(cell(0));
    if (!at) {
      problem(name(0), "'" + cell(0) + "' is not a time", "write a date and a time, e.g. 2023-11-16 18:00:00.2500001");
    }
    const auto input = tokens(1), output = tokens(2);
    if (at && input && output) add(*at, *input, *output);
  }

  // The earliest row is time 0.
  void shift_to_zero() {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Request& request : trace_.requests) first = std::min(first, request.arrival_ns);
    for (Request& request : trace_.requests) request.arrival_ns -= first;
  }

  void take_splitwise() {
    const auto at = seconds(0);
    const auto input = tokens(1), output = tokens(2);
    const bool model = cell(3) == "2", single = cell(4) == "1";
    if (!model)
      problem(name(3), "'" + cell(3) + "' is not a request to the model", "leave out rows of other types than 2");
    if (!single) problem(name(4), "'" + cell(4) + "' requests in one row are not read", "write a row for each, with 1");
    if (at && input && output && model && single) add(*at, *input, *output);
  }

  // As Vidur reads it: numbers are cut to integers, at least 1; the input gives way when both are too long, and without
  // times both do in proportion.
  void take_vidur() {
    std::int64_t counts[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::optional<double> value = real_number(cell(i));
      if (!value || *value < 0.0 || *value > static_cast<double>(kMostTokens)) {
        return problem(name(i), "'" + cell(i) + "' is not a number of tokens", "write a number from 0 on");
      }
      raised_ += *value < 1.0 ? 1 : 0;
      counts[i] = std::max<std::int64_t>(1, static_cast<std::int64_t>(*value));
    }
    const auto at = trace_.has_times ? seconds(2) : std::optional<std::int64_t>(0);
    auto& [input, output] = counts;
    const std::int64_t most = rules_.vidur_max_tokens;
    if (input + output > most) {
      ++cut_;
      if (!trace_.has_times) output = std::max<std::int64_t>(1, output * most / (input + output));
      input = most - output;
      if (input < 1) {
        return problem(name(1), fmt::format("{} output tokens leave no room for an input in {}", output, most),
                       "raise --vidur-max-tokens");
      }
    }
    if (at) add(*at, input, output);
  }

  // Fisher and Yates, with numbers that are the same on every computer.
  void shuffle() {
    std::mt19937_64 random(rules_.seed);
    std::vector<Request>& all = trace_.requests;
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
  }

  static constexpr std::int64_t kMostTokens = 1'000'000'000;
  const std::string file_;
  files::CsvReader csv_;
  const TraceRules& rules_;
  RequestTrace& trace_;
  Problems& problems_;
  std::vector<files::CsvCell> cells_;
  std::vector<std::string> header_;
  std::vector<std::size_t> columns_;  // of the cells that are read
  std::size_t cut_ = 0, raised_ = 0;
  bool azure_ = false;
};

}  // namespace

void read_request_columns(const std::string& file, const std::string& text, const TraceRules& rules,
                          RequestTrace& trace, Problems& problems) {
  ColumnReader(file, text, rules, trace, problems).read();
}

}  // namespace kb::requests
