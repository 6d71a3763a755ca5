// Mutations of the options of a command line.
#pragma once

#include <string>
#include <vector>

#include "tests/robustness/random.h"

namespace kb::robustness {

// A command and its options of one or two words.
struct Options {
  std::string command;
  std::vector<std::vector<std::string>> groups;
  std::vector<std::string> words() const;
};

void mutate(Options& options, Random& random);  // one change

// Keeps output names inside the case's folder, because attacks may run as root.
std::string contained(std::string word);

}  // namespace kb::robustness
