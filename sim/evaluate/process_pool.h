// Runs programs side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kb::evaluate {

struct ProcessJob {
  std::vector<std::string> command;  // program and arguments
  std::string log;                   // file for what it prints
  std::string program = {};          // what to run when command[0] is only what it is called
};

struct ProcessEnd {
  int code = 0;  // 128 + signal when a signal ended it
  double wall_s = 0;
  double cpu_s = 0;
  double rss_mb = 0;  // the most it had
};

// Runs every job, at most `parallel` at a time (0 = one per core), and returns how they ended in job order. `on_exit`
// is called in the order in which jobs end; when it throws or this process ends, jobs under way are ended. The
// environment of a job holds no bench parameters. Configuration Error when a process cannot be started.
std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit = nullptr);

}  // namespace kb::evaluate
