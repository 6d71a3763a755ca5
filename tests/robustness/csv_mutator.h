// Traffic files with valid and mutated rows or lines.
#pragma once

#include <string>

#include "tests/robustness/random.h"

namespace kb::robustness {

std::string traffic_file(Random& random);
std::string stl_file(Random& random);

}  // namespace kb::robustness
