// One process with limits, and what it took.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kb::robustness {

struct Limits {
  double cpu_s = 10.0;                               // of one process
  double wall_s = 40.0;                              // generous: other work on the computer must not make a hang
  std::size_t address_bytes = std::size_t{6} << 30;  // 0: no limit (sanitizers reserve terabytes)
  std::size_t file_bytes = std::size_t{1} << 30;
};

struct ProcessCall {
  std::vector<std::string> words;        // program and arguments
  std::vector<std::string> environment;  // NAME=value, beside the caller's own
  std::string folder;
  std::string out_file, err_file;  // take standard output and error
  Limits limits;
  struct Kick {
    int signal;
    double after_s;
    double patience_s = 30.0;  // the process has so much longer to install a handler, before which any would end
  };
  std::optional<Kick> kick;  // a signal to the process, unless it has ended before
};

struct ProcessEnd {
  int code = 0;
  int signal = 0;  // that ended it, or 0
  bool timed_out = false;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  // Of the largest process among it and its children; 0 when it was less than what the caller itself uses, with which
  // a process begins.
  std::size_t peak_kb = 0;
};

ProcessEnd run_process(const ProcessCall& call);

}  // namespace kb::robustness
