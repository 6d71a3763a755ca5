// Two runs beside each other: what was set differently, and where the time between them went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kb::sim {

// A setting that differs; empty where a run does not have it.
struct SettingDifference {
  std::string name;  // "m of the workload", or a key of the topology
  std::string before, after;
};

// A quantity of both runs.
struct Change {
  std::string name;
  std::string unit;
  double before = 0, after = 0;
  double difference() const { return after - before; }
};

// Launches of one kernel on one SIP belong together in their order.
struct LaunchPair {
  std::string kernel;
  std::string label;  // of the second run
  std::int64_t sip = 0;
  std::int64_t before_id = 0, after_id = 0;
  double before_ns = 0, after_ns = 0;  // from submission to completion
  std::string before_limiter, after_limiter;
};

struct Comparison {
  std::string before, after;  // the files
  std::vector<std::string>
      failures;  // runs that failed, with their reason: their times are not those of the whole work
  std::vector<SettingDifference> settings;
  std::vector<LaunchPair> launches;
  bool listed_only = false;        // a run has more launches than its file lists: only those are paired
  std::vector<std::string> alone;  // launches that the other run does not have
  Change total;                    // of all pairs, submission to completion
  std::vector<Change> parts;       // where that time went (`breakdown`); the differences add up to that of `total`
  std::vector<Change> busy;        // how long resources of the PEs that ended last were in use
  std::vector<Change> kernels;     // times of all launches of a kernel together
  std::vector<Change> figures;
  std::vector<Change> blocks;  // times of all blocks of a kind ("router to_router.busy"), by size of the change
};

// Folders with a result.json, or such files. Configuration Error that names the file: it is not there, no JSON, not a
// result, or of another schema.
Comparison compare_results(const std::string& before, const std::string& after);

// The text for people has at most `rows` launches and blocks.
std::string render_comparison(const Comparison& comparison, std::size_t rows);
// Everything.
std::string render_comparison_json(const Comparison& comparison);

}  // namespace kb::sim
