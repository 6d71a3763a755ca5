// The rows of a sweep: one per point, from what the journal knows.
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
  std::vector<std::vector<nlohmann::ordered_json>> rows;  // texts, numbers, true and false, null
};

// The columns that it will have.
std::vector<std::string> table_columns(const SweepSpec& spec);

// `answers` by point; a point without one gets a row that says so. `results`: the file of each point's whole result,
// for a column "result"; empty = there is none.
Table make_table(const SweepSpec& spec, const Space& space, const std::vector<const Answer*>& answers,
                 const std::vector<std::string>& results = {});

std::string render_csv(const Table& table);
// The table "points", and "meta" with what the sweep file says of it. Completes the file.
void write_database(const Table& table, const SweepSpec& spec, observe::OutputFile& file);

}  // namespace kb::sweep
