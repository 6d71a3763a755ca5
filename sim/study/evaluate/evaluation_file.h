// An evaluation as a folder with evaluation.yaml, sweep files, SQL and gnuplot scripts (docs/guides/evaluation.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"

namespace kb::evaluate {

// SQL from evaluation.yaml, or from a file that it names.
struct Query {
  std::string text;  // "": no query
  Diagnostic place = {};
};

struct SweepEntry {
  std::string table;
  std::string file;
  bool on_request = false;  // runs only when the user requests it
};

struct DataEntry {
  std::string table;
  std::string file;  // CSV with column names in its first line
};

// Every row of the query is a violation of the rule; the first column describes it.
struct Check {
  std::string rule;
  Query violations;
};

struct FigureEntry {
  std::string name;    // prefix of the file names; with `each`, the first column of the row is appended
  std::string script;  // the gnuplot script without terminal, output and data
  Query each;          // one figure per row; its columns are parameters of the other queries
  Query texts;         // returns one row: variables of gnuplot
  std::vector<std::pair<std::string, Query>> data;  // gnuplot data blocks $name
  int width = 1000, height = 560;                   // pixels
};

struct EvaluationSpec {
  std::string name;
  std::string about;
  std::string folder;
  std::vector<SweepEntry> sweeps;
  std::vector<std::string> may_fail;  // failure codes that count as results
  std::vector<DataEntry> data;
  std::vector<Query> tables;         // SQL scripts that create tables
  std::vector<std::string> results;  // tables to write as CSV
  std::vector<Check> checks;
  Query notes;        // notes for the user, one per row
  std::string style;  // gnuplot commands before each script
  std::vector<FigureEntry> figures;

  std::string all_sql() const;
};

// Reads FOLDER/evaluation.yaml and the files that it names, except sweeps. Configuration Error with all problems.
EvaluationSpec read_evaluation(const std::string& folder);

// Its description for help; "" when the folder has no readable evaluation.
std::string about(const std::string& folder);

// Copies it to a new, self-contained folder. Configuration Error with the system's reason.
void copy_evaluation(const std::string& folder, const std::string& to);

// The installed evaluations, sorted by name: (name, folder).
std::vector<std::pair<std::string, std::string>> installed_evaluations();

}  // namespace kb::evaluate
