// Traffic files: rows that are right, and what is done to them.
#pragma once

#include <string>

#include "tests/robustness/random.h"

namespace kb::robustness {

std::string traffic_file(Random& random);

}  // namespace kb::robustness
