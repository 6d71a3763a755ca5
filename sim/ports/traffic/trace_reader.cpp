#include "sim/ports/traffic/trace_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "platform/base/nearest.h"
#include "platform/base/printable.h"
#include "platform/base/problem_limit.h"
#include "platform/topology/input_file.h"
#include "sim/ports/traffic/trace_target.h"
#include "sim/study/files/csv.h"

namespace kb::sim {
namespace {

const std::vector<std::string> kColumns = {"id", "issue_ns", "op", "src", "dst", "bytes"};
const std::vector<std::string> kOps = {"pe_read", "pe_write", "host_read", "host_write"};
// An input that exceeds one of these limits is not a traffic file, or too large for a simulation.
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxRows = 4'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_fields(std::string_view line) {
  std::vector<std::string> fields;
  for (files::CsvCell& cell : files::csv_cells(line)) fields.push_back(std::move(cell.text));
  return fields;
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Exact femtoseconds from a decimal number of nanoseconds with at most six decimals.
std::optional<TimeFs> parse_ns(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole_text = text.substr(0, point);
  const std::string fraction_text(point == std::string_view::npos ? "0" : text.substr(point + 1));
  if (fraction_text.empty() || fraction_text.size() > 6) return std::nullopt;
  const auto whole = parse_whole<std::uint64_t>(whole_text, 10);
  auto fraction = parse_whole<std::uint64_t>(fraction_text, 10);
  constexpr std::uint64_t kMaxNs = 1'000'000'000'000;  // a thousand seconds
  if (!whole || !fraction || *whole > kMaxNs) return std::nullopt;
  for (std::size_t i = fraction_text.size(); i < 6; ++i) *fraction *= 10;
  return TimeFs(static_cast<std::int64_t>(*whole * kFsPerNs + *fraction));
}

// "sip0.cube3.pe5"
std::optional<PeCoord> parse_pe(std::string_view text) {
  const auto part = [&](std::string_view prefix, bool last) -> std::optional<std::uint32_t> {
    const std::size_t end = last ? text.size() : text.find('.');
    if (end == std::string_view::npos || text.substr(0, prefix.size()) != prefix) return std::nullopt;
    const auto index = parse_whole<std::uint32_t>(text.substr(prefix.size(), end - prefix.size()), 10);
    text.remove_prefix(std::min(text.size(), end + 1));
    return index;
  };
  const auto sip = part("sip", false);
  const auto cube = sip ? part("cube", false) : std::nullopt;
  const auto pe = cube ? part("pe", true) : std::nullopt;
  if (!pe) return std::nullopt;
  return PeCoord{SipId(*sip), CubeId(*cube), PeId(*pe)};
}

class Parser {
 public:
  Parser(const std::string& name, const topology::Graph& graph) : name_(name), graph_(graph), target_(graph.spec) {}

  // Takes the next piece of the file, which may end anywhere; returns false when no more data is needed.
  bool take(std::string_view piece) {
    bytes_ += piece.size();
    while (!piece.empty() && !stopped_) {
      const std::size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end);
      if (unfinished_.size() + part.size() > kMaxLineBytes) {
        ++line_;
        stop("the line is longer than " + std::to_string(kMaxLineBytes) + " characters", "a row has six short fields");
      } else if (end == std::string_view::npos) {
        unfinished_ += part;
        break;
      } else if (unfinished_.empty()) {
        end_line(part);
      } else {
        unfinished_ += part;
        end_line(unfinished_);
        unfinished_.clear();
      }
      piece.remove_prefix(std::min(piece.size(), part.size() + 1));
    }
    if (!stopped_ && bytes_ > kMaxBytes) stop("the file has more than 1 GiB", "split it");
    return !stopped_;
  }

  Trace finish() {
    const bool complete = unfinished_.empty();
    if (!complete && !stopped_) {
      last_line_ = true;
      end_line(unfinished_);
    }
    if (problems_.empty() && !header_seen_) {
      problem("", "the file has no header line", "start with " + header_text());
    } else if (problems_.empty() && trace_.rows.empty()) {
      problem("", "the file has no rows", "add at least one transaction below the header");
    }
    if (!problems_.empty()) throw Error(std::move(problems_));
    if (!complete) {
      trace_.warnings.push_back({name_, line_, 0, "", "the last line does not end with a newline",
                                 "if the file was cut off, this row may be incomplete"});
    }
    return std::move(trace_);
  }

 private:
  static std::string header_text() { return "id,issue_ns,op,src,dst,bytes"; }

  void problem(const std::string& column, const std::string& message, const std::string& remedy) {
    problems_.push_back({name_, line_, 0, column, message, remedy});
  }
  void stop(const std::string& message, const std::string& remedy) {
    problem("", message, remedy);
    stopped_ = true;
  }

  void end_line(std::string_view line) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (++line_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      line.remove_prefix(kByteOrderMark.size());
    }
    take_line(trim(line));
    if (problems_.size() >= kMaxProblems) {
      stop("the rest of the file was not read", "correct the first problems and check again");
    } else if (trace_.rows.size() > kMaxRows) {
      stop("the file has more than " + std::to_string(kMaxRows) + " rows", "split it");
    }
  }

  void take_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (line.find('\0') != std::string_view::npos) {
      problem("", "the line contains a zero byte", "a traffic file is plain text");
      return;
    }
    const std::vector<std::string> fields = split_fields(line);
    if (!header_seen_) {
      take_header(fields);
    } else if (fields.size() != kColumns.size()) {
      problem("", "the row has " + std::to_string(fields.size()) + " fields instead of 6",
              last_line_ ? "the file seems to be cut off here" : "columns: " + header_text());
    } else {
      take_row(fields);
    }
  }

  // With a wrong header the meaning of the fields is unknown.
  void take_header(const std::vector<std::string>& fields) {
    header_seen_ = true;
    if (fields == kColumns) return;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (std::find(kColumns.begin(), kColumns.end(), fields[i]) == kColumns.end()) {
        stop("the header has an unknown column '" + fields[i] + "'", "write exactly " + header_text());
        return;
      }
    }
    stop("the header does not list the six columns in order", "write exactly " + header_text());
  }

  void take_row(const std::vector<std::string>& fields) {
    const std::size_t before = problems_.size();
    TraceRow row;
    row.line = line_;
    row.id = fields[0];
    take_id(row);
    if (const auto issue = parse_ns(fields[1])) {
      row.issue = *issue;
    } else {
      problem("issue_ns", "'" + fields[1] + "' is not a time",
              "write nanoseconds from 0 on with up to six decimals, e.g. 12.5");
    }
    const bool op_known = take_op(row, fields[2]);
    if (op_known) take_source(row, fields[3]);
    const bool bytes_known = take_bytes(row, fields[5]);
    take_target(row, fields[4], bytes_known);
    if (problems_.size() == before) trace_.rows.push_back(std::move(row));
  }

  void take_id(const TraceRow& row) {
    if (row.id.empty()) {
      problem("id", "the id is empty", "give each row a unique word or number");
      return;
    }
    if (printable_line(row.id) != row.id) {
      problem("id", "the id '" + row.id + "' holds characters that cannot be shown", "write a word or a number");
      return;
    }
    const auto [found, added] = ids_.emplace(row.id, row.line);
    if (!added) {
      problem("id", "the id '" + row.id + "' was already used in line " + std::to_string(found->second),
              "give each row a unique word or number");
    }
  }

  bool take_op(TraceRow& row, const std::string& text) {
    const auto found = std::find(kOps.begin(), kOps.end(), text);
    if (found == kOps.end()) {
      problem("op", "'" + text + "' is not an operation", suggest(text, kOps));
      return false;
    }
    row.op = static_cast<TraceOp>(found - kOps.begin());
    return true;
  }

  void take_source(TraceRow& row, const std::string& text) {
    if (!is_pe_op(row.op)) {
      if (text != "host")
        problem("src", "'" + text + "' cannot issue " + std::string(trace_op_name(row.op)), "write host");
      return;
    }
    const auto pe = parse_pe(text);
    if (!pe) {
      problem("src", "'" + text + "' is not a PE", "write a PE id such as sip0.cube0.pe0");
    } else if (!graph_.find_node(text + ".pe_dma")) {
      const topology::MachineSpec& spec = graph_.spec;
      problem("src", "the machine has no " + text,
              "it has " + std::to_string(spec.sip_count) + " SIPs of " + std::to_string(spec.cubes_per_sip()) +
                  " cubes with " + std::to_string(spec.pes_per_cube()) + " PEs, counted from 0");
    } else {
      row.src = *pe;
    }
  }

  bool take_bytes(TraceRow& row, const std::string& text) {
    const auto bytes = parse_whole<std::uint64_t>(text, 10);
    if (bytes && *bytes >= 1) {
      row.bytes = *bytes;
      return true;
    }
    problem("bytes", "'" + text + "' is not a size", "write a whole number of bytes, at least 1");
    return false;
  }

  void take_target(TraceRow& row, const std::string& text, bool bytes_known) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const auto address = hex ? parse_whole<std::uint64_t>(std::string_view(text).substr(2), 16) : std::nullopt;
    if (!address) {
      problem("dst", "'" + text + "' is not an address", "write a physical address in hexadecimal, e.g. 0x2000000000");
      return;
    }
    row.dst = *address;
    if (!bytes_known) return;
    const std::optional<PeCoord> source =
        is_pe_op(row.op) && row.src.pe.valid() ? std::optional(row.src) : std::nullopt;
    if (const auto finding = target_.check(row.dst, row.bytes, source)) {
      problem("dst", text + ": " + finding->message, finding->remedy);
    }
  }

  const std::string& name_;
  const topology::Graph& graph_;
  TraceTarget target_;
  Trace trace_;
  std::vector<Diagnostic> problems_;
  std::map<std::string, int> ids_;  // id -> line
  std::string unfinished_;          // incomplete last line of the pieces so far
  std::uint64_t bytes_ = 0;
  int line_ = 0;
  bool last_line_ = false;
  bool stopped_ = false;
  bool header_seen_ = false;
};

}  // namespace

std::string_view trace_op_name(TraceOp op) {
  return kOps[static_cast<std::size_t>(op)];
}

Trace parse_trace(std::string_view text, const std::string& name, const topology::Graph& graph) {
  Parser parser(name, graph);
  parser.take(text);
  return parser.finish();
}

namespace {

// The problem concerns the whole file, so that there is no line number.
[[noreturn]] void refuse(const std::string& message, const std::string& remedy) {
  throw Error({Diagnostic{"", 0, 0, "", message, remedy}});
}

[[noreturn]] void refuse_unreadable(const std::string& file, int error) {
  const std::string name = "'" + file + "'";
  if (error == ENOENT) refuse("there is no traffic file " + name, "check the path given to --trace");
  if (error == EISDIR) refuse(name + " is a directory", "name a CSV file in it");
  refuse(name + " cannot be read: " + std::strerror(error), topology::remedy_of(error));
}

}  // namespace

// Reads piece by piece, because the file may be a pipe or endless.
Trace read_trace(const std::string& file, const topology::Graph& graph) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
  if (!stream) refuse_unreadable(file, errno);
  Parser parser(file, graph);
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    const std::size_t size = std::fread(piece.data(), 1, piece.size(), stream.get());
    if (std::ferror(stream.get()) != 0) refuse_unreadable(file, errno);
    if (size == 0 || !parser.take({piece.data(), size})) break;
  }
  return parser.finish();
}

}  // namespace kb::sim
