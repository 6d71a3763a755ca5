// Grammar-aware mutations of a document: keys, types, values, structure.
#pragma once

#include <string>
#include <vector>

#include "tests/robustness/random.h"
#include "tests/robustness/tree.h"

namespace kb::robustness {

// Keys and values of one format: a mutated value is often one that is valid elsewhere.
struct Vocabulary {
  std::vector<std::string> keys;
  std::vector<std::string> values;
  void add(const Tree& tree);
};

void mutate(Tree& tree, const Vocabulary& words, Random& random);  // one change

}  // namespace kb::robustness
