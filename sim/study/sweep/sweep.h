// A sweep in its folder: finished and missing points, runs, and the table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/run/driver/progress.h"
#include "sim/study/sweep/answer.h"
#include "sim/study/sweep/identity.h"
#include "sim/study/sweep/point_runner.h"
#include "sim/study/sweep/space.h"
#include "sim/study/sweep/sweep_spec.h"
#include "sim/study/sweep/table.h"

namespace kb::sweep {

struct SweepCounts {
  std::uint64_t points = 0;
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  std::uint64_t missing = 0;
  std::uint64_t unknown = 0;           // successful points that had accesses with assumed rows
  std::uint64_t unknown_accesses = 0;  // sum over these points
};

// FOLDER/points.csv is the table, FOLDER/journal has the answers, FOLDER/results and FOLDER/runs what is kept of
// points. The working directory must be that of the sweep file.
class Sweep {
 public:
  // Checks everything that can be checked before the first run; throws configuration Errors.
  Sweep(const SweepSpec& spec, const Catalogs& catalogs, std::string folder, std::uint64_t most_points);

  const Space& space() const { return space_; }
  const std::string& identity() const { return keys_.identity(); }

  // Reads the journal; call it again after other processes have written.
  void read_journal();
  SweepCounts counts() const;
  // Failed points with a code that is not in the list.
  std::vector<std::uint64_t> failed_otherwise(const std::vector<std::string>& codes) const;
  std::string first_failure() const;  // "point 3: DEADLOCK: ..."; empty when there is none
  // The latest attempt among the failures; a larger number reruns all of them.
  std::uint64_t last_attempt() const;
  // Points without an answer, and points that failed in an earlier attempt.
  std::vector<std::uint64_t> missing(std::uint64_t attempt) const;

  // Runs the points and stores all answers with this attempt. Configuration Error when no result has a column, or when
  // the journal cannot be written; earlier answers are kept.
  void run(const std::vector<std::uint64_t>& points, std::uint64_t attempt, int jobs, sim::Progress progress);

  Table table() const;
  // Writes points.csv, points.sqlite, sweep.json and, with objectives, pareto.csv: all or none. Returns their names.
  std::vector<std::string> write_table() const;
  // Returns the Pareto front as text; "" without objectives.
  std::string front() const;
  // Draws the plots of the file and of the objectives into FOLDER/plots. Returns the file names.
  std::vector<std::string> draw() const;

 private:
  std::vector<std::uint64_t> by_machine(const std::vector<std::uint64_t>& points);
  void keep(std::uint64_t point, const Answer& answer, class Journal& journal);
  void refuse_column(const Answer& answer) const;
  void check_objectives() const;
  std::vector<const Answer*> answers() const;
  std::string kept_of(std::uint64_t point) const;  // "" when nothing is kept
  std::vector<std::string> kept() const;           // of all points

  const SweepSpec& spec_;
  std::string folder_;
  PointRunner runner_;
  Space space_;
  PointKeys keys_;
  std::vector<std::string> key_of_;  // per point
  std::map<std::string, Answer> known_;
  bool objectives_checked_ = false;
  std::vector<bool> shares_machine_;  // the previous or the next point to run has the same machine
};

}  // namespace kb::sweep
