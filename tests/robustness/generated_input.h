// Inputs that are too large to be stored, generated as described in a line of the file `command`.
#pragma once

#include <string>

namespace kb::robustness {

struct GeneratedInput {
  std::string file;
  std::string text;
};

// Parses "FILE KIND N". Throws std::runtime_error, which lists the kinds, for an unknown kind.
GeneratedInput generated_input(const std::string& line);

}  // namespace kb::robustness
