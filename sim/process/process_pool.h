// Runs programs side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kb::sim {

struct ProcessJob {
  std::vector<std::string> command;  // program and arguments
  std::string log = {};              // file for what it prints, as far as no descriptor is given for that
  std::string program = {};          // what to run when command[0] is only what it is called
  int input = -1;                    // file descriptor of what it reads; none: it reads nothing
  int output = -1;                   // of what it prints; none: the log
  int messages = -1;                 // of what it prints to stderr; none: the log
  // What to do in place of a program, with the files that this process has; its end is the end of the process.
  std::function<void()> call = {};
};

struct ProcessEnd {
  int code = 0;             // 128 + signal when a signal ended it, 127 when it was not started
  int signal = 0;           // that ended it
  std::string not_started;  // why; empty when it was
  double wall_s = 0;
  double cpu_s = 0;
  double rss_mb = 0;  // the most it had
};

// Runs every job, at most `parallel` at a time (0 = one per core; fewer when the system has no room for more), and
// returns how they ended in job order. `on_exit` is called in the order in which jobs end; when it throws or this
// process ends, jobs under way are killed. The environment of a job holds no workload parameters and nothing that
// programs for figures read. Configuration Error when no process can be made.
std::vector<ProcessEnd> run_processes(const std::vector<ProcessJob>& jobs, int parallel,
                                      const std::function<void(std::size_t job, const ProcessEnd&)>& on_exit = nullptr);

}  // namespace kb::sim
