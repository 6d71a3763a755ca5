// Runs outside programs: sbatch, squeue, parallel.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace kb::sweep {

struct ProgramOutput {
  int code = 0;
  std::string output, messages;
  std::string not_started;  // reason; empty when it was started
  // Its output as one line, for messages.
  std::string words() const;
};

// Runs the program to its end with `input`, in the user's environment. `tick` is called about every `every` meanwhile.
ProgramOutput run_program(const std::vector<std::string>& command, const std::string& input = {},
                          const std::function<void()>& tick = nullptr,
                          std::chrono::milliseconds every = std::chrono::milliseconds(1000));

// Quotes a word for /bin/sh.
std::string shell_word(const std::string& text);

}  // namespace kb::sweep
