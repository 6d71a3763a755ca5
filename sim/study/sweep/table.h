// The table of a sweep: one row per point, from the journal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/observe/output_file.h"
#include "sim/study/sweep/answer.h"
#include "sim/study/sweep/space.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

struct Table {
  std::vector<std::string> columns;                       // as of table_columns()
  std::vector<std::vector<nlohmann::ordered_json>> rows;  // texts, numbers, booleans, null
};

// Names of the table's columns: point, axes, columns of the file, status, cause; where results or runs are kept one for
// their names, with objectives one that tells which rows are on the Pareto front.
std::vector<std::string> table_columns(const SweepSpec& spec);

// `answers` by point; a point without an answer gets a row that says so. `kept`: the file or folder that is kept of
// each point; empty = nothing is kept.
Table make_table(const SweepSpec& spec, const Space& space, const std::vector<const Answer*>& answers,
                 const std::vector<std::string>& kept = {});

// Returns the index of a column that exists.
std::size_t column_index(const Table& table, const std::string& name);

// Returns a cell as text; "" for null.
std::string cell_text(const nlohmann::ordered_json& cell);
std::string csv_row(const std::vector<nlohmann::ordered_json>& row);
std::string render_csv(const Table& table);
// Writes the tables "points" and "meta" (facts of the sweep file), and completes the file.
void write_database(const Table& table, const SweepSpec& spec, observe::OutputFile& file);

}  // namespace kb::sweep
