#include "sim/study/sweep/point_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "sim/ports/traffic/trace_reader.h"
#include "sim/result/write.h"
#include "sim/study/sweep/answer.h"
#include "sim/study/sweep/selector.h"

namespace kb::sweep {
namespace {

using data::TableCell;
using data::TableRow;

const std::vector<std::string> kTrafficColumns{"id", "issue_ns", "op", "src", "dst", "bytes"};

// Errors of a query are only detected when it is executed.
template <typename Body>
auto asked(Body body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error::program(kNoSuchResult, error.what());
  }
}

}  // namespace

bool is_query(const std::string& text) {
  const auto begins = [&](const std::string& word) {
    if (text.size() <= word.size() || std::isspace(static_cast<unsigned char>(text[word.size()])) == 0) return false;
    return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
      return a == static_cast<char>(std::toupper(static_cast<unsigned char>(b)));
    });
  };
  return begins("SELECT") || begins("WITH");
}

std::string all_sql(const SweepSpec& spec) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += part + "\n";
  };
  add(spec.traffic);
  add(spec.script);
  for (const Column& column : spec.columns) add(column.sql ? column.text : "");
  return text;
}

Json json_of(const TableCell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return *number;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

TableCell cell_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return std::int64_t{value.get<bool>() ? 1 : 0};
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

PointSql::PointSql(const SweepSpec& spec, const topology::LoadedTopology& machine, const std::vector<Assignment>& given)
    : spec_(spec), machine_(machine), machine_sql_(machine) {
  machine_sql_.add_to(database_, all_sql(spec));
  for (const Assignment& one : spec.fixed) {
    if (one.target == Target::parameter)
      parameters_.emplace_back(one.name, cell_of(Json::parse(result::json_scalar(one.value))));
  }
  std::size_t at = 0;
  for (const Axis& axis : spec.axes) {
    for (const AxisColumn& column : axis.columns) {
      if (at < given.size())
        parameters_.emplace_back(column.name, cell_of(Json::parse(result::json_scalar(given[at++].value))));
    }
  }
}

std::vector<sim::TraceRow> PointSql::traffic_rows() const {
  const data::SqlResult found = asked([&] { return database_.query(spec_.traffic, parameters_); });
  if (found.columns != kTrafficColumns) {
    throw Error::program(kNoSuchResult, "the traffic has to have the columns id, issue_ns, op, src, dst, bytes");
  }
  std::string text = "id,issue_ns,op,src,dst,bytes\n";
  for (const TableRow& row : found.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* number = std::get_if<std::int64_t>(&row[i]);
      const bool address = kTrafficColumns[i] == "dst" && number != nullptr;
      text += (i == 0 ? "" : ",") +
              (address ? fmt::format("0x{:x}", static_cast<std::uint64_t>(*number)) : data::text_of(row[i]));
    }
    text += "\n";
  }
  return sim::parse_trace(text, "the traffic of the sweep", machine_.graph).rows;
}

void PointSql::add_transfers(const std::vector<sim::TrafficResult>& results) {
  std::vector<TableRow> rows;
  for (const sim::TrafficResult& result : results) {
    rows.push_back({result.row.id, std::string(sim::trace_op_name(result.row.op)),
                    sim::is_pe_op(result.row.op) ? pe_name(result.row.src) : "host",
                    static_cast<std::int64_t>(result.row.dst), static_cast<std::int64_t>(result.row.bytes),
                    fs_to_ns(result.issue), fs_to_ns(result.delivered), fs_to_ns(result.completed), result.status});
  }
  database_.add_table("transfer",
                      {"id", "op", "src", "dst", "bytes", "issue_ns", "delivered_ns", "completed_ns", "status"}, rows);
}

void PointSql::add_result(const std::string& json) {
  database_.add_table("result", {"json"}, {{json}});
}

void PointSql::add_operations(const std::string& database_file) {
  database_.attach(database_file);
}

void PointSql::run_script() {
  asked([&] { database_.run(spec_.script); });
}

Json PointSql::value(const std::string& query) const {
  const data::SqlResult found = asked([&] { return database_.query(query, parameters_); });
  if (found.columns.size() != 1 || found.rows.size() > 1) {
    throw Error::program(kNoSuchResult, fmt::format("it gives {} columns and {} rows, a cell has room for one value",
                                                    found.columns.size(), found.rows.size()));
  }
  return found.rows.empty() ? Json(nullptr) : json_of(found.rows.front().front());
}

std::vector<std::string> values_of_query(const std::string& query, const topology::LoadedTopology& machine) {
  MachineSql tables(machine);
  data::SqlDatabase database;
  tables.add_to(database, query);
  const data::SqlResult found = database.query(query);
  if (found.columns.size() != 1) {
    throw Error::configuration(fmt::format("the query gives {} columns; values are one", found.columns.size()));
  }
  std::vector<std::string> values;
  for (const TableRow& row : found.rows) values.push_back(data::text_of(row.front()));
  return values;
}

}  // namespace kb::sweep
