// Runs functions in separate processes, because SystemC elaborates once per process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kb::sim {

// Calls every job in a forked process, a few at a time, and returns their results in job order. The kb::Error of the
// first failing job is rethrown with its family and code; a crash becomes a model Error. Must be called before this
// process uses SystemC or starts threads. `on_answer` receives the number of finished jobs, `on_result` each result as
// soon as it is there, with the number of its job. `at_once`: processes at a time, 0: one per core.
struct IsolatedRun {
  std::function<void(std::size_t answered)> on_answer = nullptr;
  std::function<void(std::size_t job, const std::string& result)> on_result = nullptr;
  int at_once = 0;
};
std::vector<std::string> run_isolated(const std::vector<std::function<std::string()>>& jobs,
                                      const IsolatedRun& run = {});

}  // namespace kb::sim
