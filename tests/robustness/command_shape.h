// Parses a command line independently of the program, to determine the files that it may write.
#pragma once

#include <string>
#include <vector>

namespace kb::robustness {

struct CommandShape {
  std::string command;
  bool json = false, quiet = false, dump = false;
  std::vector<std::string> result_folders;  // of run and evaluate: --out, or the default; of topology: --svg
  std::vector<std::string> output_files;    // --oplog, --vcd, --emit-mesh, --out of traffic
};

CommandShape shape_of(const std::vector<std::string>& args);

}  // namespace kb::robustness
