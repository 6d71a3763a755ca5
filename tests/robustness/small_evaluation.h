// A small evaluation and its sweep: valid inputs, which attacks mutate.
#pragma once

#include <map>
#include <string>

namespace kb::robustness {

inline constexpr const char* kSmallSweep =
    "sweep: s\nworkload: noop\nlimits: { points: 100, time: 5 s }\n"
    "axes:\n  cycles: { set: cycles, values: [1, 100, 1000] }\n"
    "  gbs: { machine: cube.memory_map.hbm_channel_bw_gbs, sql: \"SELECT value * 2 FROM machine WHERE key LIKE "
    "'%hbm_channel_bw_gbs'\" }\n"
    "columns:\n  time_ns: max /launches/*/pe_exec_ns/max\n  ops: SELECT count(*) FROM op\n  rate: cycles / time_ns\n"
    "objectives: [{ column: time_ns, goal: min }, { column: gbs, goal: max }]\n";

// Files of a small evaluation by name, in the folder `folder`.
inline std::map<std::string, std::string> small_evaluation(const std::string& folder) {
  return {
      {folder + "/evaluation.yaml",
       "evaluation: e\nabout: empty kernels\nsweeps: { runs: s.yaml }\ndata: { words: words.csv }\n"
       "tables: [tables.sql]\nresults: [rate]\n"
       "checks: [{ rule: R-1, violations: SELECT 'no time' FROM rate WHERE time_ns <= 0 }]\nmay_fail: [TIME_LIMIT]\n"
       "notes: SELECT word FROM words\n"
       "figures:\n  - { name: rate, script: rate.gp, width: 400, height: 300, each: SELECT word FROM words, texts: "
       "SELECT word AS label FROM words, data: { line: \"SELECT cycles, time_ns FROM rate\" } }\n"},
      {folder + "/s.yaml", kSmallSweep},
      {folder + "/tables.sql", "CREATE TABLE rate AS SELECT cycles, time_ns, word FROM runs, words;\n"},
      {folder + "/words.csv", "word,number\n\"a b\",3\n"},
      {folder + "/rate.gp", "plot $line using 1:2 with linespoints title label\n"}};
}

}  // namespace kb::robustness
