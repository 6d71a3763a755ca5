// One domain of measurements (chapter 09): which runs it needs, and what is made of them. The driver is
// run_evaluation.h.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/evaluate/gnuplot.h"

namespace kb::evaluate {

using Json = nlohmann::ordered_json;

// One run: a process of its own (E-2), of a workload or of raw traffic.
struct Point {
  std::string id;                                           // unique, fit for a file name
  std::string workload;                                     // empty for traffic
  std::vector<std::pair<std::string, std::string>> params;  // of the workload, or dotted keys of the machine
  std::string trace = {};                                   // the file that `kernbench traffic` replays
  std::string ccl = {};       // the collective configuration of a workload: none of the working directory is read
  std::string topology = {};  // a machine of the point's own; overrides of the command line apply to it, too
  std::string grid = {};      // its router grid, which it names as mesh_grid.yaml
  std::vector<std::pair<std::string, std::string>> machine_sets = {};  // dotted keys, after all others
  bool verify = false;  // data are computed and compared; else times only
  bool oplog = true;    // row() reads the operation log
};

// Workload and parameters, for messages.
std::string describe(const Point& point);

// What a finished run left.
struct PointFiles {
  std::string result;  // result.json of a workload, the JSON of traffic
  std::string oplog;   // a database; workloads only
};

// A relation that does not hold (E-9).
struct Violation {
  std::string rule;  // "E-22"
  std::string text;
};

class IEvaluation {
 public:
  virtual ~IEvaluation() = default;

  virtual std::string name() const = 0;       // "gemm"
  virtual std::string data_file() const = 0;  // "gemm_sweep.json"; the table beside it ends in .csv
  // Configuration Error when the machine has none of what is measured, or nothing of it would be drawn.
  virtual std::vector<Point> points(const topology::LoadedTopology& machine) const = 0;

  // Times in ns, exact. Simulated quantities only.
  virtual Json row(const Point& point, const PointFiles& files) const = 0;
  // The row of a point whose run ended with an error of the program: nothing when that is not a result.
  virtual std::optional<Json> row_of_failure(const Point&, const std::string& /*code*/,
                                             const std::string& /*message*/) const {
    return std::nullopt;
  }
  // The data file's own members; rows in the order of points(). Program Error when no row has a result.
  virtual Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const = 0;

  // Takes over the choices of the command line that concern a data file that is there; configuration Error where they
  // need other measurements.
  virtual void choose(Json& /*data*/) const {}

  // Pure functions of the data file.
  virtual std::string csv(const Json& data) const = 0;
  virtual std::vector<Violation> check(const Json& data) const = 0;
  virtual std::vector<Figure> figures(const Json& data) const = 0;
  // What a user should know about it, a sentence each.
  virtual std::vector<std::string> remarks(const Json&) const { return {}; }
  // All that figures() can draw: what an earlier call drew and this one does not is removed.
  virtual std::vector<std::string> figure_names() const = 0;
};

// Choices of the command line that every evaluation gets; what one does not know it refuses.
struct EvaluationOptions {
  std::string shapes = {};     // empty = the evaluation's own list
  std::string exclude = {};    // of figures
  std::string sections = {};   // of the evaluation; empty = all
  std::uint64_t draws = 0;     // random pairs to compare; 0 = the evaluation's own number
  std::string reference = {};  // file with an external measurement to draw; empty = the one that comes with kernbench
};

// Usage Error when a choice was made that `evaluation` does not know; `known` are names like "--shapes".
void refuse_others(const std::string& evaluation, const EvaluationOptions& options,
                   const std::vector<std::string>& known);

// A member of a data file that counts something. An exception of the JSON library, which names the place, unless it is
// a whole number from `least` to `most`.
std::int64_t whole_number(const Json& object, const char* member, std::int64_t least, std::int64_t most);

// For figures of a data file from which runs are missing. Configuration Error unless `there`.
void require_runs(bool there, const std::string& what);

}  // namespace kb::evaluate
