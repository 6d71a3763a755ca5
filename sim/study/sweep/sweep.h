// One sweep in its folder: what is done, what is missing, runs, and the table.
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
  std::uint64_t unknown = 0;           // ok, but with accesses whose rows were assumed
  std::uint64_t unknown_accesses = 0;  // of all of these points
};

// FOLDER/points.csv is the table, FOLDER/journal holds the answers, FOLDER/results whole results if they are kept. The
// working directory is that of the sweep file.
class Sweep {
 public:
  // Checks everything that can be known before the first run: configuration Errors.
  Sweep(const SweepSpec& spec, const Catalogs& catalogs, std::string folder, std::uint64_t most_points);

  const Space& space() const { return space_; }
  const std::string& identity() const { return keys_.identity(); }

  // Reads the journal; again, when other processes have written meanwhile.
  void read_journal();
  SweepCounts counts() const;
  // Points whose failure has a code that is not among these.
  std::vector<std::uint64_t> failed_otherwise(const std::vector<std::string>& codes) const;
  std::string first_failure() const;  // "point 3: DEADLOCK: ..."; empty when there is none
  // The latest attempt of the failures there are; one more than this runs them all again.
  std::uint64_t last_attempt() const;
  // Points without an answer, and those that have failed in an attempt before this one.
  std::vector<std::uint64_t> missing(std::uint64_t attempt) const;

  // Runs them and keeps every answer, as of this attempt. Configuration Error when a column is in no result, or the
  // journal cannot be written: what was answered is kept.
  void run(const std::vector<std::uint64_t>& points, std::uint64_t attempt, int jobs, sim::Progress progress);

  Table table() const;
  // points.csv and points.sqlite, both or none. Returns their names.
  std::vector<std::string> write_table() const;
  // The plots of the file, in FOLDER/plots. Returns their names.
  std::vector<std::string> draw() const;

 private:
  std::vector<std::uint64_t> by_machine(const std::vector<std::uint64_t>& points);
  void keep(std::uint64_t point, const Answer& answer, class Journal& journal);
  void refuse_column(const Answer& answer) const;
  std::vector<const Answer*> answers() const;
  std::string result_of(std::uint64_t point) const;
  std::vector<std::string> results() const;  // of all points; none when they are not kept

  const SweepSpec& spec_;
  std::string folder_;
  PointRunner runner_;
  Space space_;
  PointKeys keys_;
  std::vector<std::string> key_of_;  // each point
  std::map<std::string, Answer> known_;
  std::vector<bool> shares_machine_;  // with the point that runs before or after it
};

}  // namespace kb::sweep
