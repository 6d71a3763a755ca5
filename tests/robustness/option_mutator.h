// Changes of a command line, option by option.
#pragma once

#include <string>
#include <vector>

#include "tests/robustness/random.h"

namespace kb::robustness {

// The command, then its options: each is one or two words.
struct Options {
  std::string command;
  std::vector<std::vector<std::string>> groups;
  std::vector<std::string> words() const;
};

void mutate(Options& options, Random& random);  // one change

// Attacks may run with the rights of root: no word may name a place outside the case's folder as an output.
std::string contained(std::string word);

}  // namespace kb::robustness
