// SQL environment of one point: its machine and the results of its run.
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

// True when the text begins with SELECT or WITH.
bool is_query(const std::string& text);

// All queries and scripts of the file, to determine the required tables; "" when there are none.
std::string all_sql(const SweepSpec& spec);

// Tables: those of the machine (machine_sql.h), `result` with the JSON of the run in the column json, those of the
// operation log (docs/guides/oplog.md), and `transfer` with the traffic rows and their times. Axis columns are
// parameters: `:bytes`. Errors are program Errors NO_SUCH_RESULT. The machine must outlive this object.
class PointSql {
 public:
  PointSql(const SweepSpec& spec, const topology::LoadedTopology& machine, const std::vector<Assignment>& given);

  // The rows in the format of `kernbench traffic`.
  std::vector<sim::TraceRow> traffic_rows() const;
  void add_transfers(const std::vector<sim::TrafficResult>& results);
  void add_result(const std::string& json);
  void add_operations(const std::string& database_file);

  void run_script();
  // The single value of a query; null when it returns no row.
  nlohmann::ordered_json value(const std::string& query) const;

 private:
  const SweepSpec& spec_;
  const topology::LoadedTopology& machine_;
  MachineSql machine_sql_;
  data::SqlDatabase database_;
  std::vector<std::pair<std::string, data::TableCell>> parameters_;
};

// Values of a query with one column on the machine only. Configuration Error.
std::vector<std::string> values_of_query(const std::string& query, const topology::LoadedTopology& machine);

nlohmann::ordered_json json_of(const data::TableCell& cell);
data::TableCell cell_of(const nlohmann::ordered_json& value);

}  // namespace kb::sweep
