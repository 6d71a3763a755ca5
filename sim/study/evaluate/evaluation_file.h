// An evaluation as data: a folder with evaluation.yaml, sweep files, SQL and gnuplot scripts
// (docs/guides/evaluation.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"

namespace kb::evaluate {

// SQL out of evaluation.yaml, or out of a file that it names.
struct Query {
  std::string text;  // "" = there is none
  Diagnostic place = {};
};

struct SweepEntry {
  std::string table;
  std::string file;
  bool on_request = false;  // runs only when it is asked for
};

struct DataEntry {
  std::string table;
  std::string file;  // CSV with names of columns in its first line
};

// Every row of the query is something that does not hold; its first column says so in words.
struct Check {
  std::string rule;
  Query violations;
};

struct FigureEntry {
  std::string name;    // of its files; with `each`, the first column of a row of that is added
  std::string script;  // contents of the gnuplot script, without terminal, output and data
  Query each;          // a figure for each row, whose columns are parameters of the other queries
  Query texts;         // one row: variables of gnuplot
  std::vector<std::pair<std::string, Query>> data;  // data blocks of gnuplot, $name
  int width = 1000, height = 560;                   // pixels
};

struct EvaluationSpec {
  std::string name;
  std::string about;
  std::string folder;
  std::vector<SweepEntry> sweeps;
  std::vector<std::string> may_fail;  // codes of failures that are results
  std::vector<DataEntry> data;
  std::vector<Query> tables;         // scripts
  std::vector<std::string> results;  // tables that are written as CSV
  std::vector<Check> checks;
  Query notes;        // what a user should know, a row each
  std::string style;  // gnuplot commands before each script
  std::vector<FigureEntry> figures;

  std::string all_sql() const;
};

// Reads FOLDER/evaluation.yaml and what it names but the sweeps. Configuration Error with every problem.
EvaluationSpec read_evaluation(const std::string& folder);

// Its line for help; "" when the folder has no evaluation that can be read.
std::string about(const std::string& folder);

// Copies it to a new folder, which needs nothing outside. Configuration Error with the system's reason.
void copy_evaluation(const std::string& folder, const std::string& to);

// The evaluations that come with kernbench, in the order of their names: (name, folder).
std::vector<std::pair<std::string, std::string>> installed_evaluations();

}  // namespace kb::evaluate
