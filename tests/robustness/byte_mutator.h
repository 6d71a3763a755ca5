// Damage without regard for any grammar.
#pragma once

#include <string>

#include "tests/robustness/random.h"

namespace kb::robustness {

// One of: cut off, flip bits, insert or remove bytes, repeat or swap a part, put a part of `other` in.
std::string damage(std::string text, const std::string& other, Random& random);

}  // namespace kb::robustness
