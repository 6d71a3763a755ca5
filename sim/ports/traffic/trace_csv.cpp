// Rows of transactions: CSV with the header id,issue_ns,op,src,dst,bytes.
#include <algorithm>
#include <map>

#include "platform/base/nearest.h"
#include "platform/base/printable.h"
#include "sim/ports/traffic/trace_parser.h"
#include "sim/study/files/csv.h"

namespace kb::sim {
namespace {

const std::vector<std::string> kColumns = {"id", "issue_ns", "op", "src", "dst", "bytes"};
const std::vector<std::string> kOps = {"pe_read", "pe_write", "host_read", "host_write"};

std::vector<std::string> split_fields(std::string_view line) {
  std::vector<std::string> fields;
  for (files::CsvCell& cell : files::csv_cells(line)) fields.push_back(std::move(cell.text));
  return fields;
}

// Exact femtoseconds from a decimal number of nanoseconds with at most six decimals.
std::optional<TimeFs> parse_ns(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole_text = text.substr(0, point);
  const std::string fraction_text(point == std::string_view::npos ? "0" : text.substr(point + 1));
  if (fraction_text.empty() || fraction_text.size() > 6) return std::nullopt;
  const auto whole = parse_whole<std::uint64_t>(whole_text, 10);
  auto fraction = parse_whole<std::uint64_t>(fraction_text, 10);
  if (!whole || !fraction || *whole > kMaxTraceNs) return std::nullopt;
  for (std::size_t i = fraction_text.size(); i < 6; ++i) *fraction *= 10;
  return TimeFs(static_cast<std::int64_t>(*whole * kFsPerNs + *fraction));
}

class CsvParser final : public TraceParser {
 public:
  CsvParser(const std::string& name, const topology::Graph& graph)
      : TraceParser(name, graph, "a row has six short fields") {}

 private:
  static std::string header_text() { return "id,issue_ns,op,src,dst,bytes"; }

  void take_line(std::string_view text) override {
    const std::vector<std::string> fields = split_fields(text);
    if (!header_seen_) {
      take_header(fields);
    } else if (fields.size() != kColumns.size()) {
      problem("", "the row has " + std::to_string(fields.size()) + " fields instead of 6",
              last_line() ? "the file seems to be cut off here" : "columns: " + header_text());
    } else {
      take_row(fields);
    }
  }

  void check_end() override {
    if (!header_seen_) {
      problem("", "the file has no header line", "start with " + header_text());
    } else if (!has_rows()) {
      problem("", "the file has no rows", "add at least one transaction below the header");
    }
  }

  // With a wrong header the meaning of the fields is unknown.
  void take_header(const std::vector<std::string>& fields) {
    header_seen_ = true;
    if (fields == kColumns) return;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (std::find(kColumns.begin(), kColumns.end(), fields[i]) == kColumns.end()) {
        stop("", "the header has an unknown column '" + fields[i] + "'",
             "write exactly " + header_text() + ", or name the format by --format");
        return;
      }
    }
    stop("", "the header does not list the six columns in order", "write exactly " + header_text());
  }

  void take_row(const std::vector<std::string>& fields) {
    const std::size_t before = problems();
    TraceRow row;
    row.line = line();
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
    if (problems() == before) add(std::move(row));
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
    if (const auto pe = pe_of("src", text)) row.src = *pe;
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
    const auto address = parse_hex(text);
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

  std::map<std::string, int> ids_;  // id -> line
  bool header_seen_ = false;
};

}  // namespace

std::string_view trace_op_name(TraceOp op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::unique_ptr<TraceParser> make_csv_parser(const std::string& name, const topology::Graph& graph,
                                             const AccessOptions&) {
  return std::make_unique<CsvParser>(name, graph);
}

}  // namespace kb::sim
