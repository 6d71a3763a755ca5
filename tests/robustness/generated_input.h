// Inputs that are too large to be stored, by a line of the file `command`.
#pragma once

#include <string>

namespace kb::robustness {

struct GeneratedInput {
  std::string file;
  std::string text;
};

// "FILE KIND N"; std::runtime_error names the kinds when it knows none of the name.
GeneratedInput generated_input(const std::string& line);

}  // namespace kb::robustness
