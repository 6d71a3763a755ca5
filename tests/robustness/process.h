// Runs a process with limits and measures it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kb::robustness {

struct Limits {
  double cpu_s = 10.0;                               // per process
  double wall_s = 40.0;                              // generous, so that a busy computer is not taken for a hang
  std::size_t address_bytes = std::size_t{6} << 30;  // 0: no limit (sanitizers reserve terabytes)
  std::size_t file_bytes = std::size_t{1} << 30;
};

struct ProcessCall {
  std::vector<std::string> words;        // program and arguments
  std::vector<std::string> environment;  // NAME=value, in addition to the caller's
  std::string folder;
  std::string out_file, err_file;  // files for standard output and error
  Limits limits;
  struct Kick {
    int signal;
    double after_s;
    double patience_s = 30.0;  // additional time for the process to install a handler
  };
  std::optional<Kick> kick;  // a signal to the process, unless it has ended before
};

struct ProcessEnd {
  int code = 0;
  int signal = 0;  // the signal that ended it; 0: none
  bool timed_out = false;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  // peak memory of the largest of the process and its children; 0 when below the memory of the caller, because a forked
  // process begins with that
  std::size_t peak_kb = 0;
};

ProcessEnd run_process(const ProcessCall& call);

}  // namespace kb::robustness
