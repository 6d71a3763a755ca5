// What SQL in a sweep file is asked of: one point, its machine and what its run left.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/data/sql_database.h"
#include "platform/topology/topology.h"
#include "sim/ports/traffic/traffic.h"
#include "sim/study/sweep/machine_sql.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// True when a text begins with SELECT or WITH.
bool is_query(const std::string& text);

// All queries and scripts of the file, to see which tables they need; "" when it has none.
std::string all_sql(const SweepSpec& spec);

// Tables: those of the machine (machine_sql.h), `result` with the JSON of the run in the column json, those of the
// operation log (docs/guides/oplog.md), `transfer` with the rows of traffic and their times. The columns of the axes
// are parameters: `:bytes`. Errors are program Errors NO_SUCH_RESULT. The machine must outlive it.
class PointSql {
 public:
  PointSql(const SweepSpec& spec, const topology::LoadedTopology& machine, const std::vector<Assignment>& given);

  // The rows as `kernbench traffic` reads them.
  std::vector<sim::TraceRow> traffic_rows() const;
  void add_transfers(const std::vector<sim::TrafficResult>& results);
  void add_result(const std::string& json);
  void add_operations(const std::string& database_file);

  void run_script();
  // The one value of a query; null when it has no row.
  nlohmann::ordered_json value(const std::string& query) const;

 private:
  const SweepSpec& spec_;
  const topology::LoadedTopology& machine_;
  MachineSql machine_sql_;
  data::SqlDatabase database_;
  std::vector<std::pair<std::string, data::TableCell>> parameters_;
};

// Values of a query about the machine alone, in one column. Configuration Error.
std::vector<std::string> values_of_query(const std::string& query, const topology::LoadedTopology& machine);

nlohmann::ordered_json json_of(const data::TableCell& cell);
data::TableCell cell_of(const nlohmann::ordered_json& value);

}  // namespace kb::sweep
