// Common part of the readers of traffic files: lines, problems, and what every format checks.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sim/ports/traffic/trace_reader.h"
#include "sim/ports/traffic/trace_target.h"

namespace kb::sim {

template <typename Number>
std::optional<Number> parse_whole(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}
inline constexpr std::uint64_t kMaxTraceNs = 1'000'000'000'000;  // latest issue time: a thousand seconds

// "sip0.cube3.pe5"
std::optional<PeCoord> parse_pe(std::string_view text);
// "0x2000000000"
std::optional<std::uint64_t> parse_hex(std::string_view text);

class TraceParser {
 public:
  // `row_form` is the remedy for a line that is too long.
  TraceParser(const std::string& name, const topology::Graph& graph, std::string row_form)
      : target_(graph.spec), name_(name), graph_(graph), row_form_(std::move(row_form)) {}
  virtual ~TraceParser() = default;
  TraceParser(const TraceParser&) = delete;
  TraceParser& operator=(const TraceParser&) = delete;

  // Takes the next piece of the file, which may end anywhere; returns false when no more data is needed.
  bool take(std::string_view piece);
  Trace finish();

 protected:
  // A line that is neither empty nor a comment.
  virtual void take_line(std::string_view line) = 0;
  // Adds a problem when a file without problems has not what it needs.
  virtual void check_end() = 0;

  void problem(const std::string& column, const std::string& message, const std::string& remedy) {
    problems_.push_back({name_, line_, 0, column, message, remedy});
  }
  // Adds a problem after which nothing is read.
  void stop(const std::string& column, const std::string& message, const std::string& remedy) {
    problem(column, message, remedy);
    stopped_ = true;
  }
  // Before the file is read: throws the problems, which are those of options.
  void throw_problems_of_options();
  std::size_t problems() const { return problems_.size(); }
  void add(TraceRow row) { trace_.rows.push_back(std::move(row)); }
  bool has_rows() const { return !trace_.rows.empty(); }
  int line() const { return line_; }
  bool last_line() const { return last_line_; }  // which has no line end
  // The PE of a text; no value, and a problem, when it is none of the machine's.
  std::optional<PeCoord> pe_of(const std::string& column, const std::string& text);
  const topology::Graph& graph() const { return graph_; }

  TraceTarget target_;

 private:
  void end_line(std::string_view line);
  void take_text(std::string_view line);

  const std::string name_;
  const topology::Graph& graph_;
  std::string row_form_;
  Trace trace_;
  std::vector<Diagnostic> problems_;
  std::string unfinished_;  // incomplete last line of the pieces so far
  std::uint64_t bytes_ = 0;
  int line_ = 0;
  bool last_line_ = false;
  bool stopped_ = false;
};

// Parsers of the formats: rows of CSV, DRAMSys' STL, Ramulator's loads and stores.
std::unique_ptr<TraceParser> make_csv_parser(const std::string& name, const topology::Graph& graph,
                                             const AccessOptions& options);
std::unique_ptr<TraceParser> make_stl_parser(const std::string& name, const topology::Graph& graph,
                                             const AccessOptions& options);
std::unique_ptr<TraceParser> make_relative_stl_parser(const std::string& name, const topology::Graph& graph,
                                                      const AccessOptions& options);
std::unique_ptr<TraceParser> make_load_store_parser(const std::string& name, const topology::Graph& graph,
                                                    const AccessOptions& options);

}  // namespace kb::sim
