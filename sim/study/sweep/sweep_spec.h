// The contents of a sweep file, checked as far as possible without a machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/axis.h"
#include "sim/study/sweep/columns.h"
#include "sim/study/sweep/objectives.h"
#include "sim/study/sweep/plots.h"

namespace kb::sweep {

struct Sample {
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
};

struct Limits {
  double time_s = 0;  // wall-clock time per point; 0 = unlimited
  double memory_mb = 0;
  int retries = 1;  // for a point that ended without an answer
  std::uint64_t points = 100'000;
};

// Files that are kept of each point.
enum class Keep : std::uint8_t { columns, results, runs };
// Name of the column for them: "result" or "run_folder".
const char* kept_column(Keep keep);

struct SweepSpec {
  std::string file;    // as given by the user
  std::string folder;  // folder of the file; names in the file are relative to it
  std::string name;
  std::vector<std::string> plugins;
  // Options of `kernbench run` by name: workload, topology, device, seed, data, verify, time_limit_ns.
  std::string workload, topology, device = "all", data = "off";
  std::string traffic;  // SQL that returns rows of raw traffic, instead of a workload
  std::string script;   // SQL that runs in each point before its columns
  std::uint64_t seed = 1;
  bool verify = false;
  bool strict = false;
  double time_limit_ns = 0;
  std::vector<Assignment> fixed;                   // for all points
  std::map<std::string, Diagnostic> fixed_places;  // by name: position in the file
  std::vector<Axis> axes;
  std::optional<Sample> sample;
  std::vector<Column> columns;
  std::vector<Objective> objectives;
  Limits limits;
  std::vector<Plot> plots;
  Keep keep = Keep::columns;
};

}  // namespace kb::sweep
