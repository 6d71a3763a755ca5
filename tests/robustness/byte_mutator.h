// Mutations that ignore the grammar.
#pragma once

#include <string>

#include "tests/robustness/random.h"

namespace kb::robustness {

// Cuts the text off, flips bits, inserts or removes bytes, repeats or swaps a part, or inserts a part of `other`.
std::string damage(std::string text, const std::string& other, Random& random);

}  // namespace kb::robustness
