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
  std::vector<std::string> columns;                       // point, axes, columns of the file, status, cause
  std::vector<std::vector<nlohmann::ordered_json>> rows;  // texts, numbers, booleans, null
};

// Names of the table's columns.
std::vector<std::string> table_columns(const SweepSpec& spec);

// `answers` by point; a point without an answer gets a row that says so. `results`: file of each point's complete
// result, for a column "result"; empty = no such column.
Table make_table(const SweepSpec& spec, const Space& space, const std::vector<const Answer*>& answers,
                 const std::vector<std::string>& results = {});

std::string render_csv(const Table& table);
// Writes the tables "points" and "meta" (facts of the sweep file), and completes the file.
void write_database(const Table& table, const SweepSpec& spec, observe::OutputFile& file);

}  // namespace kb::sweep
