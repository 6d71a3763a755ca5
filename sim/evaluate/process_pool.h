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
};

// Runs every job, at most `parallel` at a time (0 = one per core), and returns the exit codes in job order; 128 +
// signal for a job that a signal ended. `on_exit` is called in the order in which jobs end; when it throws or this
// process ends, jobs under way are ended. The environment of a job holds no bench parameters. Configuration Error when
// a process cannot be started.
std::vector<int> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                               const std::function<void(std::size_t job, int code)>& on_exit = nullptr);

}  // namespace kb::evaluate
