// Values with which mutators replace a valid value.
#pragma once

#include <string>
#include <vector>

#include "tests/robustness/random.h"

namespace kb::robustness {

std::string edge_number(Random& random);  // 0, -1, 2^63, 1e308, nan ...
std::string near_number(const std::string& good,
                        Random& random);  // differs by a factor or a step; `good` if not a number
std::string odd_text(Random& random);     // quotes, control bytes, unicode, format strings, paths
std::string typo(std::string word, Random& random);
// Files that exist on every system and are not regular files. Only used as inputs.
std::string odd_input_path(Random& random);

}  // namespace kb::robustness
