// The folder of a sweep, for the page. docs/guides/sweep.md describes its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace kb::analysis {

// Reads only points.sqlite, sweep.json and names in the journal.
class SweepFolder {
 public:
  // True when the folder has the table or the journal of a sweep.
  static bool is_one(const std::string& folder);

  explicit SweepFolder(std::string folder) : folder_(std::move(folder)) {}

  // The current contents as JSON: {"name", "file", "workload", "topology", "columns": [{"name", "role", "text"}],
  // "rows", "objectives": [{"column", "goal"}], "failed", "missing", "state"}. `role` is point, axis, result, status,
  // cause, run, file or pareto; cells are numbers, texts and null. `state` is a sentence when points are missing, empty
  // otherwise. Configuration Error when a file is damaged or leads out of the folder.
  std::string json() const;

  // JSON: {"command", "run"}: the command that makes the run of a point, or the sentence why there is none, in "none";
  // and its folder below the sweep's, empty when it was not kept.
  std::string point(std::int64_t number) const;

 private:
  struct Table;
  Table read() const;
  std::string state_of(const Table& table) const;
  std::string refusal(const Table& table) const;
  std::string command_of(const Table& table, std::size_t row) const;
  nlohmann::ordered_json read_description() const;

  std::string folder_;
};

}  // namespace kb::analysis
